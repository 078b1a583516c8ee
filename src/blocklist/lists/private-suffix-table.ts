/**
 * Domains below which anyone can get a name, as their owners asked to have them in the private section of the Public Suffix List
 * (publicsuffix.org, under the Mozilla Public License 2.0; version 20230209.2326-1 of Debian): its domains directly below a
 * top-level domain, also if a wildcard is in front, without those of `shared-host-table.ts`. Deeper ones are left out, because a parent of a
 * shared host is shared as well, and theirs may be `co.uk`.
 */
export const privateSuffixes: readonly (readonly [end: string, names: string])[] = [
  [
    'com',
    '001www 0emm 1kapp 4u adobeaemcloud africa airkitapps airkitapps-au aivencloud alpha-myqnapcloud amscompute appchizi ' +
      'applinzi appspacehosted appspaceusercontent ar authgear-staging authgearapps awsglobalaccelerator awsmppl balena-devices ' +
      'barsycenter barsyonline betainabox blogdns blogsyte bloxcms bounty-full boutir bplaced builtwithdark cafjs canva-apps ' +
      'cechire ciscofreak clicketcloud cloudcontrolapp cloudcontrolled codespot customer-oci damnserver dattolocal dattorelay ' +
      'dattoweb ddns5 ddnslive dev-myqnapcloud devcdnaccesso discordsays discordsez ditchyourip dnsdojo dnsiskinky doesntexist ' +
      'dontexist doomdns dopaas drayddns dreamhosters dsmynas dyn-o-saur dynalias dyndns-at-home dyndns-at-work dyndns-blog ' +
      'dyndns-free dyndns-home dyndns-ip dyndns-mail dyndns-office dyndns-pics dyndns-remote dyndns-server dyndns-web dyndns-wiki ' +
      'dyndns-work dynns encoreapi est-a-la-maison est-a-la-masion est-le-patron est-mon-blogueur familyds fastly-edge ' +
      'fastly-terrarium fastvps-server firewall-gateway fldrv forgeblocks framercanvas freebox-os freeboxos from-ak from-al ' +
      'from-ar from-ca from-ct from-dc from-de from-fl from-ga from-hi from-ia from-id from-il from-in from-ks from-ky from-ma ' +
      'from-md from-mi from-mn from-mo from-ms from-mt from-nc from-nd from-ne from-nh from-nj from-nm from-nv from-oh from-ok ' +
      'from-or from-pa from-pr from-ri from-sc from-sd from-tn from-tx from-ut from-va from-vt from-wa from-wi from-wv from-wy ' +
      'geekgalaxy gentapps gentlentapis getmyip googlecode gotdns gotpantheon health-carereform herokussl hidora hk hobby-site ' +
      'homelinux homesecuritymac homesecuritypc homeunix hostedpi hotelwithflight hu iamallama impertrix impertrixcdn ' +
      'is-a-anarchist is-a-blogger is-a-bookkeeper is-a-bulls-fan is-a-caterer is-a-chef is-a-conservative is-a-cpa ' +
      'is-a-cubicle-slave is-a-democrat is-a-designer is-a-doctor is-a-financialadvisor is-a-geek is-a-green is-a-guru ' +
      'is-a-hard-worker is-a-hunter is-a-landscaper is-a-lawyer is-a-liberal is-a-libertarian is-a-llama is-a-musician ' +
      'is-a-nascarfan is-a-nurse is-a-painter is-a-personaltrainer is-a-photographer is-a-player is-a-republican is-a-rockstar ' +
      'is-a-socialist is-a-student is-a-teacher is-a-techie is-a-therapist is-an-accountant is-an-actor is-an-actress ' +
      'is-an-anarchist is-an-artist is-an-engineer is-an-entertainer is-certified is-gone is-into-anime is-into-cars ' +
      'is-into-cartoons is-into-games is-leet is-not-certified is-slick is-uberleet is-with-theband isa-geek isa-hockeynut ' +
      'issmarterthanyou jdevcloud kasserver kilatiron kr ktistory likes-pie likescandy logoip lpusercontent mazeplay messwithdns ' +
      'meteorapp miniserver myactivedirectory myasustor mydatto mydobiss mydrobo myiphost mysecuritycamera myshopblocks ' +
      'myspreadshop mytabit mytuleap neat-url net-freaks nfshost no on-aptible onfabrica onthewifi operaunite orsites ' +
      'outsystemscloud ownprovider pagefrontapp pagespeedmobilizer pagexl paywhirl pgfog pixolino platter-app playstation-cloud ' +
      'pleskns point2this postman-echo publishproxy qa2 qbuser qc qualifioapp quicksytes quipelements rackmaze remotewd reservd ' +
      'reserve-online rhcloud saves-the-whales scrysec securitytactics selfip sells-for-less sells-for-u servebbs servebeer ' +
      'servecounterstrike serveexchange servehalflife servehumour serveirc servemp3 servep2p servepics servesarcasm shopitsite ' +
      'siiites simple-url sinaapp skygearapp smushcdn space-to-rent stackhero-network streamlitapp stufftoread teaches-yoga ' +
      'temp-dns thingdustdata townnews-staging try-snowplow tuleap-partners unusualperson uy vipsinaapp wafflecell withyoutube ' +
      'woltlab-demo workisboring wpdevcloud wpenginepowered wphostedmail wpmucdn writesthisblog xnbay',
  ],
  [
    'net',
    'adobeaemcloud adobeio-static adobeioruntime akadns akamai akamai-staging akamaiedge akamaiedge-staging akamaihd ' +
      'akamaihd-staging akamaiorigin akamaiorigin-staging akamaized akamaized-staging appudo at-band-camp azure-mobile bar0 bar1 ' +
      'bar2 barsy bitbridge blackbaudcdn blogdns boomla broke-it buyshouses cdn-edges cdn77-ssl channelsdvr clickrising ' +
      'cloudaccess cloudjiffy cloudycluster community-pro cryptonomic dattolocal debian definima dnsalias dnsdojo dnsup does-it ' +
      'dontexist dsmynas dynalias dynathome eating-organic edgeapp edgekey edgekey-staging edgesuite edgesuite-staging ' +
      'endofinternet familyds fastlylb faststacks feste-ip firewall-gateway flynnhosting from-az from-co from-la from-ny gets-it ' +
      'ham-radio-op heteml hicam homeftp homeip homelinux homeunix in-dsl in-the-band in-vpn iobb ipifony is-a-chef is-a-geek ' +
      'isa-geek kicks-ass kinghost knx-server krellian meinforum memset moonscale myamaze mydatto mydissent myeffect myfritz ' +
      'mymediapc mypsx mysecuritycamera myspreadshop nhlfan no-ip now-dns office-on-the onavstack ownip pgafan podzone ' +
      'privatizehealthinsurance rackmaze reserve-online ru schokokeks scrapper-site seidat selfip sells-it senseering servebbs ' +
      'serveftp serveminecraft shopselect siteleaf square7 static-access supabase t3l3p0rt thruhere torproject twmail uni5 vpndns ' +
      'vps-host webhop za',
  ],
  [
    'jp',
    'angry babyblue babymilk backdrop bambina bitter blogspot blush boo boy boyfriend but buyshop candypop capoo catfood cheap ' +
      'chicappa chillout chips chowder chu ciao cocotte coolblog cranky cutegirl daa deca deci digick egoism fakefur fashionstore ' +
      'fem flier floppy fool frenchkiss girlfriend girly gloomy gonna greater hacca handcrafted heavy her hiho hippy holy hungry ' +
      'icurus itigo jellybean kawaiishop kikirara kill kilo kuron littlestar lolipopmc lolitapunk lomo lovepop lovesick main mods ' +
      'mond mongolian moo namaste nikita nobushi noor oops parallel parasite pecori peewee penne pepper perma pigboat pinoko ' +
      'punyu pupu pussycat pya raindrop readymade sadist schoolbus secret staba stripper sub sunnyday supersale theshop thick ' +
      'tonkotsu under upper usercontent velvet verse versus vivian watson weblike whitesnow zombie',
  ],
  [
    'org',
    'ae barsy blogdns blogsite bmoattachments boldlygoingnowhere cable-modem certmgr collegefan couchpotatofries ddnss ' +
      'diskstation dnsalias dnsdojo doesntexist dontexist doomdns dsmynas dvrdns dynalias dynserv endofinternet endoftheinternet ' +
      'familyds fedorainfracloud fedorapeople freedesktop from-me game-host gotdns hepforge hk hobby-site homedns homeftp ' +
      'homelinux homeunix httpbin in-dsl in-vpn is-a-bruinsfan is-a-candidate is-a-celticsfan is-a-chef is-a-geek is-a-knight ' +
      'is-a-linux-user is-a-patsfan is-a-soxfan is-found is-lost is-saved is-very-bad is-very-evil is-very-good is-very-nice ' +
      'is-very-sweet isa-geek kicks-ass mayfirst misconfused mlbfan mozilla-iot my-firewall myfirewall mysecuritycamera nflfan ' +
      'now-dns pimienta podzone poivron potager pubtls read-books readmyblog selfip sellsyourhome servebbs serveftp servegame ' +
      'small-web spdns stuff-4-sale sweetpepper toolforge tunk tuxfamily twmail ufcfan webhop wmcloud wmflabs za',
  ],
  [
    'de',
    '123webseite 12hp 2ix 4lima barsy community-pro dd-dns ddnss diskussionsbereich dnshome dnsupdater dray-dns draydns ' +
      'dyn-berlin dyn-ip24 dyn-vpn dynamisches-dns dyndns1 dynvpn firewall-gateway frusky fuettertdasnetz git-repos ' +
      'home-webserver in-berlin in-brb in-butter in-dsl in-vpn internet-dns iservschule isteingeek istmein keymachine l-o-g-i-n ' +
      'lcube-server lebtimnetz leitungsen logoip mein-iserv mein-vigor my-gateway my-router my-vigor my-wan myhome-server ' +
      'myspreadshop schulplattform schulserver spdns square7 svn-repos syno-ds synology-diskstation synology-ds taifun-dns ' +
      'test-iserv traeumtgerade uberspace virtual-user virtualuser xn--gnstigbestellen-zvb xn--gnstigliefern-wob',
  ],
  [
    'su',
    'abkhazia adygeya aktyubinsk arkhangelsk armenia ashgabad azerbaijan balashov bashkiria bryansk bukhara chimkent dagestan ' +
      'east-kazakhstan exnet georgia grozny ivanovo jambyl kalmykia kaluga karacol karaganda karelia khakassia krasnodar kurgan ' +
      'kustanai lenug mangyshlak mordovia msk murmansk nalchik navoi north-kazakhstan nov obninsk penza pokrovsk sochi spb ' +
      'tashkent termez togliatti troitsk tselinograd tula tuva vladikavkaz vladimir vologda',
  ],
  [
    'io',
    '2038 b-data backplaneapp barsy basicserver beagleboard bluebite boxfuse browsersafetymark definima drud dyn53 edugit ' +
      'fh-muenster hasura-app hostyhosting hzc jele loginline lolipop mo-siemens moonscale musician nid on-acorn on-k3s on-rio ' +
      'protonet pstmn qcx qoto resindevice s5y sandcats shiftcrypto shiftedit shw spacekit stolos tickets upli utwente vaporcloud ' +
      'virtualserver webthings wedeploy',
  ],
  [
    'ru',
    '123sait ac adygeya bashkiria bir blogspot cbg com dagestan edu eurodir gov grozny int kalmykia kustanai lk3 marine mcdir ' +
      'mcpre mil mircloud mordovia msk myjino mytis na4u nalchik net nov org pp pyatigorsk ras spb test vladikavkaz vladimir',
  ],
  [
    'me',
    'barsy brasilia c66 daplie dnsfor dscloud edgestack filegear filegear-au filegear-de filegear-gb filegear-ie filegear-jp ' +
      'filegear-sg i234 loginto lohmus mcdir mcpe nohost ravendb soundcast tcp4 vp4 wedeploy yombo',
  ],
  [
    'pl',
    'art beep co ecommerce-shop gda gdansk gdynia gliwice homesklep krakow krasnik leczna lubartow lublin med myspreadshop ' +
      'poniatowa poznan sdscloud shoparena simplesite sopot swidnik unicloud wroc zakopane',
  ],
  [
    'info',
    'barrel-of-knowledge barrell-of-knowledge barsy cloudns dnsupdate dvrcam dynamic-dns dyndns for-our forumz groks-the ' +
      'groks-this here-for-more ilovecollege knowsitall mayfirst no-ip nsupdate selfip v-info webhop',
  ],
  [
    'cloud',
    'banzai diadem jele jotelulu keliweb kuleuven linkyard magentosite on-rancher oxa perspecta primetel ravendb sensiosite ' +
      'statics trafficplex urown vapor voorloper',
  ],
  [
    'app',
    'beget bookonline clerk clerkstage deta developer easypanel edgecompute fireweb loginline messerli noop onflashdrive ' +
      'platform0 snowflake telebit wnext',
  ],
  ['site', 'barsy byen cloudera cyon fastvps fnwk folionetwork jele lelux loginline mintere novecore omniwe opensocial srht tst'],
  [
    'dev',
    'autocode curv deno-staging deta gateway iserv lcl lclstage loginline mediatech platter-app shiftcrypto stg stgstage ' +
      'webhare',
  ],
  ['biz', 'activetrail dscloud dyndns for-better for-more for-some for-the jozi mmafan no-ip orx selfip webhop'],
  [
    'fr',
    '123siteweb blogspot chirurgiens-dentistes-en-france dedibox en-root fbx-os fbxos freebox-os freeboxos goupile myspreadshop ' +
      'on-web ynh',
  ],
  ['at', '123webseite 12hp 2ix 4lima biz futurecms futurehosting futuremailing info lima-city myspreadshop priv'],
  [
    'uk',
    'barsy conn copro hosp independent-commission independent-inquest independent-inquiry independent-panel independent-review ' +
      'public-inquiry pymnt royal-commission',
  ],
  ['ch', '123website 12hp 2ix 4lima blogspot dnsking firenet lima-city linkyard-cloud myspreadshop square7'],
  ['host', 'cloudaccess fastvps freesite half jele mircloud myfast pcloud tempurl wpmudev'],
  ['us', 'drud freeddns golffan graphox is-by land-4-sale mircloud platterp pointto stuff-4-sale'],
  ['xn--p1acf', 'xn--41a xn--80aaa0cvac xn--90a1af xn--90amc xn--c1avg xn--h1ahn xn--h1aliz xn--j1adp xn--j1aef xn--j1ael8b'],
  ['it', '123homepage 16-b 32-b 64-b blogspot ibxos iliadboxos myspreadshop syncloud'],
  ['nl', '123website blogspot cistron demon gov hosting-cluster khplay myspreadshop transurl'],
  ['ax', 'be cat es eu gg mc us xy'],
  ['dk', '123hjemmeside biz blogspot co firm myspreadshop reg store'],
  ['eu', 'airkitapps barsy cloudns diskstation mycd spdns transurl wellbeingzone'],
  ['run', 'build database development hs migration onporter ravendb servers'],
  ['cc', 'csx fantasyleague ftpaccess game-server myphotos scrapping twmail'],
  ['fi', '123kotisivu blogspot dy iki kapsi myspreadshop xn--hkkinen-5wa'],
  ['page', 'hlx hlx3 magnet pdns prvcy rocky translated'],
  ['se', '123minsida blogspot conf iopsys itcouldbewor myspreadshop'],
  ['be', '123website blogspot myspreadshop transurl webhosting'],
  ['ca', 'awdev barsy blogspot co myspreadshop'],
  ['kg', 'blog io jp tv uk'],
  ['md', 'at blogspot de jp to'],
  ['network', 'alces arvo azimuth co tlon'],
  ['ng', 'col firm gen ltd ngo'],
  ['to', '611 nyan oya rdv vpnplus'],
  ['xyz', 'blogsite crafting localzone telebit zapto'],
  ['am', 'blogspot neko nyaa radio'],
  ['co', 'firewalledreplit mypi n4t otap'],
  ['cz', 'blogspot co e4 realm'],
  ['hk', 'blogspot inc ltd secaas'],
  ['in', 'barsy blogspot cloudns web'],
  ['no', '123hjemmeside blogspot co myspreadshop'],
  ['ro', 'barsy blogspot co shop'],
  ['sh', 'bip hashbang vxl wedeploy'],
  ['tv', 'better-than dyndns on-the-web worse-than'],
  ['ua', 'cx inf ltd v'],
  ['vu', 'blog cn dev me'],
  ['ws', 'advisor cloud66 dyndns mypets'],
  ['zone', 'cloud66 hs lima triton'],
  ['club', 'barsy cloudns jele'],
  ['community', 'myforum nog ravendb'],
  ['gg', 'cya kaas panel'],
  ['gt', 'blog de to'],
  ['nu', 'enterprisecloud merseine shacknet'],
  ['one', 'homelink onred service'],
  ['online', 'barsy eero eero-stage'],
  ['rs', 'blogspot ox ua'],
  ['shop', 'barsy base hoplix'],
  ['si', 'blogspot gitapp gitpage'],
  ['space', 'myfast uber xs4all'],
  ['store', 'sellfy shopware storebase'],
  ['tc', 'ch me we'],
  ['ba', 'blogspot rs'],
  ['basketball', 'aus nz'],
  ['bg', 'barsy blogspot'],
  ['by', 'mediatech mycloud'],
  ['bz', 'gsj za'],
  ['ci', 'fin nl'],
  ['cn', 'canva-apps instantcloud'],
  ['cool', 'de elementor'],
  ['ec', 'base official'],
  ['es', '123miweb myspreadshop'],
  ['events', 'co koobin'],
  ['fm', 'radio user'],
  ['gl', 'biz xx'],
  ['gr', 'blogspot simplesite'],
  ['hr', 'blogspot free'],
  ['id', 'flap forte'],
  ['ie', 'blogspot myspreadshop'],
  ['is', 'blogspot cupcake'],
  ['krd', 'co edu'],
  ['la', 'bnr c'],
  ['li', 'blogspot caa'],
  ['link', 'cyon mypep'],
  ['lu', '123website blogspot'],
  ['mobi', 'barsy dscloud'],
  ['ms', 'lab minisite'],
  ['pm', 'name own'],
  ['pro', 'barsy cloudns'],
  ['pt', '123paginaweb blogspot'],
  ['pw', 'cloudns x443'],
  ['rocks', 'lima-city webspace'],
  ['scot', 'edu gov'],
  ['sg', 'blogspot enscaled'],
  ['team', 'discourse jelastic'],
  ['th', 'online shop'],
  ['top', 'now-dns ntdll'],
  ['tw', 'blogspot url'],
  ['vc', '0e gv'],
  ['wf', 'biz sch'],
];

/** The others, each with its end. */
export const lonePrivateSuffixes: string =
  '1337.pictures app.gp at.vg barsy.menu barsy.pub barsy.support be.gy blogspot.ae blogspot.al blogspot.bj blogspot.cf ' +
  'blogspot.cl blogspot.cv blogspot.hu blogspot.kr blogspot.lt blogspot.mk blogspot.mr blogspot.mx blogspot.my blogspot.pe ' +
  'blogspot.qa blogspot.re blogspot.sk blogspot.sn blogspot.td blogspot.ug blogspot.vn bss.design cc.hn clan.rip cloud.goog ' +
  'cloudapps.digital cloudns.asia cloudsite.builders cnpy.gdn co.bn co.business co.education co.financial co.place ' +
  'co.technology compute.estate dapps.earth de.ls diher.solutions drr.ac hlx.live hra.health indie.porn info.cx jcloud.kz ' +
  'ju.mp knightpoint.systems loginline.services nerdpol.ovh noho.st noticeable.news nyc.mn of.je official.academy omg.lol ' +
  'opencraft.hosting orangecloud.tn org.yt owo.codes oy.lc prequalifyme.today ro.im router.management sch.so sch.tf ' +
  'static.land storj.farm tech.orange uwu.ai we.bs ybo.faith ybo.party ybo.review ybo.science ybo.trade';
