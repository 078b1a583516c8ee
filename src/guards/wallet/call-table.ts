/**
 * The functions whose calldata is read, by selector. A parameter without a type is an address and a party, and its name is the party's role.
 * Names that mean something for `bytes`: `call` and `calls` hold calldata, `transactions` is the packed batch of a Safe, `path` the packed
 * route of Uniswap, `commands` or `actions` with `inputs` its program. A `hook` is passed to a contract, which may find a recipient in it,
 * so it must be empty. The `operation` of a Safe says whether the target of `call` runs as the account, and
 * the roles of `codeRoles` put code in charge of it. Functions with other bytes that are run or trusted do not belong here, because they
 * would count as read.
 */
const functions =
  // Tokens: ERC-20, ERC-721, ERC-1155, ERC-777, ERC-677, ERC-1363
  `a9059cbb transfer(to,uint)
23b872dd transferFrom(from,to,uint)
095ea7b3 approve(spender,uint)
39509351 increaseAllowance(spender,uint)
a457c2d7 decreaseAllowance(spender,uint)
d73dd623 increaseApproval(spender,uint)
66188463 decreaseApproval(spender,uint)
be45fd62 transfer(to,uint,bytes hook)
1296ee62 transferAndCall(to,uint)
4000aea0 transferAndCall(to,uint,bytes hook)
d8fbe994 transferFromAndCall(from,to,uint)
c1d34b89 transferFromAndCall(from,to,uint,bytes hook)
3177029f approveAndCall(spender,uint)
cae9ca51 approveAndCall(spender,uint,bytes hook)
40c10f19 mint(to,uint)
6a627842 mint(to)
a0712d68 mint(uint)
42966c68 burn(uint)
79cc6790 burnFrom(from,uint)
42842e0e safeTransferFrom(from,to,uint)
b88d4fde safeTransferFrom(from,to,uint,bytes hook)
a22cb465 setApprovalForAll(operator,bool)
f242432a safeTransferFrom(from,to,uint,uint,bytes hook)
2eb2c2d6 safeBatchTransferFrom(from,to,uint[],uint[],bytes hook)
9bd9bbc6 send(to,uint,bytes hook)
959b8c3f authorizeOperator(operator)
fad8b32a revokeOperator(operator)
62ad1b83 operatorSend(from,to,uint,bytes hook,bytes hook)
558a7297 setOperator(operator,bool)
5c19a95c delegate(delegate)
c3cda520 delegateBySig(delegate,uint,uint,uint8,bytes32,bytes32)
` +
  // Wrapped coins
  `d0e30db0 deposit()
2e1a7d4d withdraw(uint)
b760faf9 depositTo(to)
205c2878 withdrawTo(to,uint)
` +
  // Signed approvals: ERC-2612, DAI, ERC-4494, EIP-3009
  `d505accf permit(owner,spender,uint,uint,uint8,bytes32,bytes32)
9fd5a6cf permit(owner,spender,uint,uint,bytes)
8fcbaf0c permit(owner,spender,uint,uint,bool,uint8,bytes32,bytes32)
745a41bc permit(spender,uint,uint,bytes)
7ac2ff7b permit(spender,uint,uint,uint8,bytes32,bytes32)
e3ee160e transferWithAuthorization(from,to,uint,uint,uint,bytes32,uint8,bytes32,bytes32)
cf092995 transferWithAuthorization(from,to,uint,uint,uint,bytes32,bytes)
ef55bec6 receiveWithAuthorization(from,to,uint,uint,uint,bytes32,uint8,bytes32,bytes32)
88b7ab63 receiveWithAuthorization(from,to,uint,uint,uint,bytes32,bytes)
5a049a70 cancelAuthorization(from,bytes32,uint8,bytes32,bytes32)
` +
  // Permit2
  `87517c45 approve(token,spender,uint160,uint48)
2b67b570 permit(owner,((token,uint160,uint48,uint48),spender,uint),bytes)
2a2d80d1 permit(owner,((token,uint160,uint48,uint48)[],spender,uint),bytes)
36c78516 transferFrom(from,to,uint160,token)
0d58b1db transferFrom((from,to,uint160,token)[])
30f28b7a permitTransferFrom(((token,uint),uint,uint),(to,uint),owner,bytes)
edd9444b permitTransferFrom(((token,uint)[],uint,uint),(to,uint)[],owner,bytes)
137c29fe permitWitnessTransferFrom(((token,uint),uint,uint),(to,uint),owner,bytes32,string,bytes)
fe8ec1a7 permitWitnessTransferFrom(((token,uint)[],uint,uint),(to,uint)[],owner,bytes32,string,bytes)
cc53287f lockdown((token,spender)[])
65d9723c invalidateNonces(token,spender,uint48)
3ff9dcb1 invalidateUnorderedNonces(uint,uint)
` +
  // Vaults: ERC-4626
  `6e553f65 deposit(uint,receiver)
94bf804d mint(uint,receiver)
b460af94 withdraw(uint,receiver,owner)
ba087652 redeem(uint,receiver,owner)
` +
  // Lending pools
  `617ba037 supply(token,uint,receiver,uint16)
e8eda9df deposit(token,uint,receiver,uint16)
02c205f0 supplyWithPermit(token,uint,receiver,uint16,uint,uint8,bytes32,bytes32)
69328dec withdraw(token,uint,receiver)
a415bcad borrow(token,uint,uint,uint16,receiver)
573ade81 repay(token,uint,uint,receiver)
c04a8a10 approveDelegation(spender,uint)
5a3b74b9 setUserUseReserveAsCollateral(token,bool)
` +
  // Staking and bridges
  `a694fc3a stake(uint)
2e17de78 unstake(uint)
a1903eab submit(referrer)
e9fad8ee exit()
3d18b912 getReward()
4e71d92d claim()
6fd3504e depositForBurn(uint,uint32,bytes32 recipient,token)
8e0250ee depositForBurn(uint,uint32,bytes32 recipient,token,bytes32 caller,uint,uint32)
e11013dd bridgeETHTo(to,uint32,bytes hook)
540abf73 bridgeERC20To(token,token,to,uint,uint32,bytes hook)
` +
  // Names
  `d5fa2b00 setAddr(bytes32,to)
5b0fc9c3 setOwner(bytes32,owner)
1896f70a setResolver(bytes32,resolver)
f14fcbc8 commit(bytes32)
74694a2b register(string,owner,uint,bytes32,resolver,bytes[] calls,bool,uint16)
acf1a841 renew(string,uint)
06ab5923 setSubnodeOwner(bytes32,bytes32,owner)
` +
  // Ownership, roles and upgrades
  `f2fde38b transferOwnership(owner)
715018a6 renounceOwnership()
79ba5097 acceptOwnership()
13af4035 setOwner(owner)
a6f9dae1 changeOwner(owner)
2f2ff15d grantRole(bytes32,account)
d547741f revokeRole(bytes32,account)
36568abe renounceRole(bytes32,account)
3659cfe6 upgradeTo(implementation)
4f1ef286 upgradeToAndCall(implementation,bytes call)
8f283970 changeAdmin(admin)
` +
  // Batches
  `ac9650d8 multicall(bytes[] calls)
5ae401dc multicall(uint,bytes[] calls)
1f0464d1 multicall(bytes32,bytes[] calls)
252dba42 aggregate((target,bytes call)[])
bce38bd7 tryAggregate(bool,(target,bytes call)[])
c3077fa9 blockAndAggregate((target,bytes call)[])
399542e9 tryBlockAndAggregate(bool,(target,bytes call)[])
82ad56cb aggregate3((target,bool,bytes call)[])
174dea71 aggregate3Value((target,bool,uint,bytes call)[])
` +
  // Accounts: Safe, ERC-4337
  `6a761202 execTransaction(to,uint,bytes call,uint8 operation,uint,uint,uint,gasToken,refundReceiver,bytes)
468721a7 execTransactionFromModule(to,uint,bytes call,uint8 operation)
5229073f execTransactionFromModuleReturnData(to,uint,bytes call,uint8 operation)
8d80ff0a multiSend(bytes transactions)
0d582f13 addOwnerWithThreshold(owner,uint)
f8dc5dd9 removeOwner(owner,owner,uint)
e318b52b swapOwner(owner,owner,owner)
694e80c3 changeThreshold(uint)
610b5925 enableModule(module)
e009cfde disableModule(removed,removed)
e19a9dd9 setGuard(guard)
f08a0323 setFallbackHandler(handler)
b63e800d setup(owner[],uint,library,bytes call,handler,gasToken,uint,refundReceiver)
1688f0b9 createProxyWithNonce(singleton,bytes call,uint)
b61d27f6 execute(target,uint,bytes call)
18dfb3c7 executeBatch(target[],bytes[] calls)
47e1da2a executeBatch(target[],uint[],bytes[] calls)
34fcd5be executeBatch((target,uint,bytes call)[])
` +
  // Routers: Uniswap and its forks
  `38ed1739 swapExactTokensForTokens(uint,uint,token[],to,uint)
8803dbee swapTokensForExactTokens(uint,uint,token[],to,uint)
7ff36ab5 swapExactETHForTokens(uint,token[],to,uint)
4a25d94a swapTokensForExactETH(uint,uint,token[],to,uint)
18cbafe5 swapExactTokensForETH(uint,uint,token[],to,uint)
fb3bdb41 swapETHForExactTokens(uint,token[],to,uint)
5c11d795 swapExactTokensForTokensSupportingFeeOnTransferTokens(uint,uint,token[],to,uint)
b6f9de95 swapExactETHForTokensSupportingFeeOnTransferTokens(uint,token[],to,uint)
791ac947 swapExactTokensForETHSupportingFeeOnTransferTokens(uint,uint,token[],to,uint)
e8e33700 addLiquidity(token,token,uint,uint,uint,uint,to,uint)
f305d719 addLiquidityETH(token,uint,uint,uint,to,uint)
baa2abde removeLiquidity(token,token,uint,uint,uint,to,uint)
02751cec removeLiquidityETH(token,uint,uint,uint,to,uint)
2195995c removeLiquidityWithPermit(token,token,uint,uint,uint,to,uint,bool,uint8,bytes32,bytes32)
ded9382a removeLiquidityETHWithPermit(token,uint,uint,uint,to,uint,bool,uint8,bytes32,bytes32)
414bf389 exactInputSingle((token,token,uint24,recipient,uint,uint,uint,uint160))
c04b8d59 exactInput((bytes path,recipient,uint,uint,uint))
db3e2198 exactOutputSingle((token,token,uint24,recipient,uint,uint,uint,uint160))
f28c0498 exactOutput((bytes path,recipient,uint,uint,uint))
04e45aaf exactInputSingle((token,token,uint24,recipient,uint,uint,uint160))
b858183f exactInput((bytes path,recipient,uint,uint))
5023b4df exactOutputSingle((token,token,uint24,recipient,uint,uint,uint160))
09b81346 exactOutput((bytes path,recipient,uint,uint))
472b43f3 swapExactTokensForTokens(uint,uint,token[],to)
42712a67 swapTokensForExactTokens(uint,uint,token[],to)
49404b7c unwrapWETH9(uint,recipient)
49616997 unwrapWETH9(uint)
df2ab5bb sweepToken(token,uint,recipient)
e90a182f sweepToken(token,uint)
1c58db4f wrapETH(uint)
12210e8a refundETH()
f3995c67 selfPermit(token,uint,uint,uint8,bytes32,bytes32)
c2e3140a selfPermitIfNecessary(token,uint,uint,uint8,bytes32,bytes32)
4659a494 selfPermitAllowed(token,uint,uint,uint8,bytes32,bytes32)
88316456 mint((token,token,uint24,int24,int24,uint,uint,uint,uint,recipient,uint))
219f5d17 increaseLiquidity((uint,uint,uint,uint,uint,uint))
0c49ccbe decreaseLiquidity((uint,uint128,uint,uint,uint))
fc6f7865 collect((uint,recipient,uint128,uint128))
24856bc3 execute(bytes commands,bytes[] inputs)
3593564c execute(bytes commands,bytes[] inputs,uint)
`;

/** What the commands of Uniswap's router take, by command. Version 2.1.1 of the router added a parameter to some. */
const commands = `
00 (recipient,uint,uint,bytes path,bool)
00 (recipient,uint,uint,bytes path,bool,uint[])
01 (recipient,uint,uint,bytes path,bool)
01 (recipient,uint,uint,bytes path,bool,uint[])
02 (token,recipient,uint160)
03 (((token,uint160,uint48,uint48)[],spender,uint),bytes)
04 (token,recipient,uint)
05 (token,recipient,uint)
06 (token,recipient,uint)
07 (token,recipient,uint)
08 (recipient,uint,uint,token[],bool)
08 (recipient,uint,uint,token[],bool,uint[])
09 (recipient,uint,uint,token[],bool)
09 (recipient,uint,uint,token[],bool,uint[])
0a (((token,uint160,uint48,uint48),spender,uint),bytes)
0b (recipient,uint)
0c (recipient,uint)
0d ((from,recipient,uint160,token)[])
0e (owner,token,uint)
10 (bytes actions,bytes[] inputs)
21 (bytes commands,bytes[] inputs)
`;

/** What the actions of a swap of Uniswap 4 take, by action. */
const actions = `
06 (((token,token,uint24,int24,hooks),bool,uint128,uint128,bytes hook))
06 (((token,token,uint24,int24,hooks),bool,uint128,uint128,uint,bytes hook))
07 ((token,(token,uint,int24,hooks,bytes hook)[],uint128,uint128))
07 ((token,(token,uint,int24,hooks,bytes hook)[],uint[],uint128,uint128))
08 (((token,token,uint24,int24,hooks),bool,uint128,uint128,bytes hook))
08 (((token,token,uint24,int24,hooks),bool,uint128,uint128,uint,bytes hook))
09 ((token,(token,uint,int24,hooks,bytes hook)[],uint128,uint128))
09 ((token,(token,uint,int24,hooks,bytes hook)[],uint[],uint128,uint128))
0b (token,uint,bool)
0c (token,uint)
0d (token,token)
0e (token,recipient,uint)
0f (token,uint)
10 (token,recipient,uint)
11 (token,token,recipient)
12 (token)
14 (token,recipient)
16 (uint)
`;

let bySelector: ReadonlyMap<string, string> | undefined;

/** The function of a selector, as `name(types)`. */
export function functionOf(selector: string): string | undefined {
  bySelector ??= new Map(allFunctions().map((row) => [row.slice(0, 8), row.slice(9)]));
  return bySelector.get(selector);
}

/** The parameters of a router's command or action: none if it is unknown, several if versions differ. */
export function stepsOf(kind: 'command' | 'action', code: string): string[] {
  const rows = (kind === 'command' ? commands : actions).split('\n');
  return rows.filter((row) => row.startsWith(`${code} `)).map((row) => row.slice(3));
}

/** Every row: a selector, a space and the function. */
export const allFunctions = (): string[] => functions.split('\n').filter((line) => /^[0-9a-f]{8} /.test(line));
