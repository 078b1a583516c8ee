/** Cloud hosts that exist once per region, below which anyone can get a name or a bucket. `*` is the region. */
const regional: readonly (readonly [hosts: string, regions: string])[] = [
  [
    's3.*.amazonaws.com s3-*.amazonaws.com s3-website-*.amazonaws.com s3-website.*.amazonaws.com s3.dualstack.*.amazonaws.com ' +
      '*.compute.amazonaws.com *.elb.amazonaws.com execute-api.*.amazonaws.com *.elasticbeanstalk.com *.awsapprunner.com ' +
      'lambda-url.*.on.aws',
    'af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2 ' +
      'ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-7 ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 ' +
      'eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 ' +
      'us-east-2 us-gov-east-1 us-gov-west-1 us-west-1 us-west-2',
  ],
  [
    '*.cloudapp.azure.com *.azurecontainerapps.io *.azurecontainer.io',
    'australiaeast australiasoutheast brazilsouth canadacentral canadaeast centralindia centralus eastasia eastus eastus2 ' +
      'francecentral germanywestcentral israelcentral italynorth japaneast japanwest koreacentral northcentralus northeurope ' +
      'norwayeast polandcentral qatarcentral southafricanorth southcentralus southeastasia southindia spaincentral swedencentral ' +
      'switzerlandnorth uaenorth uksouth ukwest westcentralus westeurope westus westus2 westus3',
  ],
  // Storage zones; the numbers in use are below 50.
  ['z*.web.core.windows.net', Array.from({ length: 64 }, (_, zone) => zone + 1).join(' ')],
  ['*.azurestaticapps.net', '1 2 3 4 5 6 7 centralus eastasia eastus2 westeurope westus2'],
  ['*.digitaloceanspaces.com *.cdn.digitaloceanspaces.com', 'ams3 atl1 blr1 fra1 lon1 nyc3 ric1 sfo2 sfo3 sgp1 syd1 tor1'],
  ['*.r.appspot.com', 'an as de df dt el et ew ey ez lm lz nn nw oa rj ts ue uc uk ul uw uy wl wm wn'],
  ['f*.backblazeb2.com', '000 001 002 003 004 005 006'],
  ['s3.*.backblazeb2.com', 'ca-east-006 eu-central-003 us-east-005 us-west-000 us-west-001 us-west-002 us-west-004'],
  ['*.linodeobjects.com', 'ap-south-1 eu-central-1 us-east-1 us-iad-1 us-ord-1 us-southeast-1'],
  [
    's3.*.wasabisys.com',
    'ap-northeast-1 ap-southeast-1 eu-central-1 eu-central-2 eu-west-1 eu-west-2 us-central-1 us-east-1 us-west-1',
  ],
  [
    'oss-*.aliyuncs.com',
    'ap-northeast-1 ap-southeast-1 ap-southeast-3 ap-southeast-5 cn-beijing cn-hangzhou cn-hongkong cn-shanghai cn-shenzhen ' +
      'eu-central-1 eu-west-1 me-east-1 us-east-1 us-west-1',
  ],
  [
    'cos.*.myqcloud.com',
    'ap-beijing ap-guangzhou ap-hongkong ap-shanghai ap-singapore ap-tokyo eu-frankfurt na-ashburn na-siliconvalley',
  ],
  ['*.devtunnels.ms', 'asse auc1 brs eun1 euw inc1 jpe1 uks1 use use2 usw2 usw3'],
  ['*.pythonanywhere.com', 'eu'],
];

/** The hosts of every region. */
export const regionalHosts: readonly string[] = regional.flatMap(([hosts, regions]) =>
  hosts.split(' ').flatMap((host) => regions.split(' ').map((region) => host.replace('*', region))),
);
