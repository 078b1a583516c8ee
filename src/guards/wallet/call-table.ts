/**
 * The functions whose calldata is read, by selector. Every address in their parameters is a party, and its name is the party's role.
 * Names that mean something for `bytes`: `call` and `calls` hold calldata, `transactions` is the packed batch of a Safe, `path` the packed
 * route of Uniswap, `commands` or `actions` with `inputs` its program. A `hook` is passed to a contract, which may find a recipient in it,
 * so it must be empty. A `signature` names no party. The `operation` of a Safe says whether the target of `call` runs as the account, and
 * the roles of `codeRoles` put code in charge of it. Functions with other bytes that are run or trusted do not belong here, because they
 * would count as read.
 */
const functions = `
# Tokens: ERC-20, ERC-721, ERC-1155, ERC-777, ERC-677, ERC-1363
a9059cbb transfer(address to,uint256)
23b872dd transferFrom(address from,address to,uint256)
095ea7b3 approve(address spender,uint256)
39509351 increaseAllowance(address spender,uint256)
a457c2d7 decreaseAllowance(address spender,uint256)
d73dd623 increaseApproval(address spender,uint256)
66188463 decreaseApproval(address spender,uint256)
be45fd62 transfer(address to,uint256,bytes hook)
1296ee62 transferAndCall(address to,uint256)
4000aea0 transferAndCall(address to,uint256,bytes hook)
d8fbe994 transferFromAndCall(address from,address to,uint256)
c1d34b89 transferFromAndCall(address from,address to,uint256,bytes hook)
3177029f approveAndCall(address spender,uint256)
cae9ca51 approveAndCall(address spender,uint256,bytes hook)
40c10f19 mint(address to,uint256)
6a627842 mint(address to)
a0712d68 mint(uint256)
42966c68 burn(uint256)
79cc6790 burnFrom(address from,uint256)
42842e0e safeTransferFrom(address from,address to,uint256)
b88d4fde safeTransferFrom(address from,address to,uint256,bytes hook)
a22cb465 setApprovalForAll(address operator,bool)
f242432a safeTransferFrom(address from,address to,uint256,uint256,bytes hook)
2eb2c2d6 safeBatchTransferFrom(address from,address to,uint256[],uint256[],bytes hook)
9bd9bbc6 send(address to,uint256,bytes hook)
959b8c3f authorizeOperator(address operator)
fad8b32a revokeOperator(address operator)
62ad1b83 operatorSend(address from,address to,uint256,bytes hook,bytes hook)
558a7297 setOperator(address operator,bool)
5c19a95c delegate(address delegate)
c3cda520 delegateBySig(address delegate,uint256,uint256,uint8,bytes32,bytes32)

# Wrapped coins
d0e30db0 deposit()
2e1a7d4d withdraw(uint256)
b760faf9 depositTo(address to)
205c2878 withdrawTo(address to,uint256)

# Signed approvals: ERC-2612, DAI, ERC-4494, EIP-3009
d505accf permit(address owner,address spender,uint256,uint256,uint8,bytes32,bytes32)
9fd5a6cf permit(address owner,address spender,uint256,uint256,bytes signature)
8fcbaf0c permit(address owner,address spender,uint256,uint256,bool,uint8,bytes32,bytes32)
745a41bc permit(address spender,uint256,uint256,bytes signature)
7ac2ff7b permit(address spender,uint256,uint256,uint8,bytes32,bytes32)
e3ee160e transferWithAuthorization(address from,address to,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)
cf092995 transferWithAuthorization(address from,address to,uint256,uint256,uint256,bytes32,bytes signature)
ef55bec6 receiveWithAuthorization(address from,address to,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)
88b7ab63 receiveWithAuthorization(address from,address to,uint256,uint256,uint256,bytes32,bytes signature)
5a049a70 cancelAuthorization(address from,bytes32,uint8,bytes32,bytes32)

# Permit2
87517c45 approve(address token,address spender,uint160,uint48)
2b67b570 permit(address owner,((address token,uint160,uint48,uint48),address spender,uint256),bytes signature)
2a2d80d1 permit(address owner,((address token,uint160,uint48,uint48)[],address spender,uint256),bytes signature)
36c78516 transferFrom(address from,address to,uint160,address token)
0d58b1db transferFrom((address from,address to,uint160,address token)[])
30f28b7a permitTransferFrom(((address token,uint256),uint256,uint256),(address to,uint256),address owner,bytes signature)
edd9444b permitTransferFrom(((address token,uint256)[],uint256,uint256),(address to,uint256)[],address owner,bytes signature)
137c29fe permitWitnessTransferFrom(((address token,uint256),uint256,uint256),(address to,uint256),address owner,bytes32,string,bytes signature)
fe8ec1a7 permitWitnessTransferFrom(((address token,uint256)[],uint256,uint256),(address to,uint256)[],address owner,bytes32,string,bytes signature)
cc53287f lockdown((address token,address spender)[])
65d9723c invalidateNonces(address token,address spender,uint48)
3ff9dcb1 invalidateUnorderedNonces(uint256,uint256)

# Vaults: ERC-4626
6e553f65 deposit(uint256,address receiver)
94bf804d mint(uint256,address receiver)
b460af94 withdraw(uint256,address receiver,address owner)
ba087652 redeem(uint256,address receiver,address owner)

# Lending pools
617ba037 supply(address token,uint256,address receiver,uint16)
e8eda9df deposit(address token,uint256,address receiver,uint16)
02c205f0 supplyWithPermit(address token,uint256,address receiver,uint16,uint256,uint8,bytes32,bytes32)
69328dec withdraw(address token,uint256,address receiver)
a415bcad borrow(address token,uint256,uint256,uint16,address receiver)
573ade81 repay(address token,uint256,uint256,address receiver)
c04a8a10 approveDelegation(address spender,uint256)
5a3b74b9 setUserUseReserveAsCollateral(address token,bool)

# Staking and bridges
a694fc3a stake(uint256)
2e17de78 unstake(uint256)
a1903eab submit(address referrer)
e9fad8ee exit()
3d18b912 getReward()
4e71d92d claim()
6fd3504e depositForBurn(uint256,uint32,bytes32 recipient,address token)
8e0250ee depositForBurn(uint256,uint32,bytes32 recipient,address token,bytes32 caller,uint256,uint32)
e11013dd bridgeETHTo(address to,uint32,bytes hook)
540abf73 bridgeERC20To(address token,address token,address to,uint256,uint32,bytes hook)

# Names
d5fa2b00 setAddr(bytes32,address to)
5b0fc9c3 setOwner(bytes32,address owner)
1896f70a setResolver(bytes32,address resolver)
f14fcbc8 commit(bytes32)
74694a2b register(string,address owner,uint256,bytes32,address resolver,bytes[] calls,bool,uint16)
acf1a841 renew(string,uint256)
06ab5923 setSubnodeOwner(bytes32,bytes32,address owner)

# Ownership, roles and upgrades
f2fde38b transferOwnership(address owner)
715018a6 renounceOwnership()
79ba5097 acceptOwnership()
13af4035 setOwner(address owner)
a6f9dae1 changeOwner(address owner)
2f2ff15d grantRole(bytes32,address account)
d547741f revokeRole(bytes32,address account)
36568abe renounceRole(bytes32,address account)
3659cfe6 upgradeTo(address implementation)
4f1ef286 upgradeToAndCall(address implementation,bytes call)
8f283970 changeAdmin(address admin)

# Batches
ac9650d8 multicall(bytes[] calls)
5ae401dc multicall(uint256,bytes[] calls)
1f0464d1 multicall(bytes32,bytes[] calls)
252dba42 aggregate((address target,bytes call)[])
bce38bd7 tryAggregate(bool,(address target,bytes call)[])
c3077fa9 blockAndAggregate((address target,bytes call)[])
399542e9 tryBlockAndAggregate(bool,(address target,bytes call)[])
82ad56cb aggregate3((address target,bool,bytes call)[])
174dea71 aggregate3Value((address target,bool,uint256,bytes call)[])

# Accounts: Safe, ERC-4337
6a761202 execTransaction(address to,uint256,bytes call,uint8 operation,uint256,uint256,uint256,address gasToken,address refundReceiver,bytes signature)
468721a7 execTransactionFromModule(address to,uint256,bytes call,uint8 operation)
5229073f execTransactionFromModuleReturnData(address to,uint256,bytes call,uint8 operation)
8d80ff0a multiSend(bytes transactions)
0d582f13 addOwnerWithThreshold(address owner,uint256)
f8dc5dd9 removeOwner(address owner,address owner,uint256)
e318b52b swapOwner(address owner,address owner,address owner)
694e80c3 changeThreshold(uint256)
610b5925 enableModule(address module)
e009cfde disableModule(address removed,address removed)
e19a9dd9 setGuard(address guard)
f08a0323 setFallbackHandler(address handler)
b63e800d setup(address[] owner,uint256,address library,bytes call,address handler,address gasToken,uint256,address refundReceiver)
1688f0b9 createProxyWithNonce(address singleton,bytes call,uint256)
b61d27f6 execute(address target,uint256,bytes call)
18dfb3c7 executeBatch(address[] target,bytes[] calls)
47e1da2a executeBatch(address[] target,uint256[],bytes[] calls)
34fcd5be executeBatch((address target,uint256,bytes call)[])

# Routers: Uniswap and its forks
38ed1739 swapExactTokensForTokens(uint256,uint256,address[] token,address to,uint256)
8803dbee swapTokensForExactTokens(uint256,uint256,address[] token,address to,uint256)
7ff36ab5 swapExactETHForTokens(uint256,address[] token,address to,uint256)
4a25d94a swapTokensForExactETH(uint256,uint256,address[] token,address to,uint256)
18cbafe5 swapExactTokensForETH(uint256,uint256,address[] token,address to,uint256)
fb3bdb41 swapETHForExactTokens(uint256,address[] token,address to,uint256)
5c11d795 swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[] token,address to,uint256)
b6f9de95 swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[] token,address to,uint256)
791ac947 swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[] token,address to,uint256)
e8e33700 addLiquidity(address token,address token,uint256,uint256,uint256,uint256,address to,uint256)
f305d719 addLiquidityETH(address token,uint256,uint256,uint256,address to,uint256)
baa2abde removeLiquidity(address token,address token,uint256,uint256,uint256,address to,uint256)
02751cec removeLiquidityETH(address token,uint256,uint256,uint256,address to,uint256)
2195995c removeLiquidityWithPermit(address token,address token,uint256,uint256,uint256,address to,uint256,bool,uint8,bytes32,bytes32)
ded9382a removeLiquidityETHWithPermit(address token,uint256,uint256,uint256,address to,uint256,bool,uint8,bytes32,bytes32)
414bf389 exactInputSingle((address token,address token,uint24,address recipient,uint256,uint256,uint256,uint160))
c04b8d59 exactInput((bytes path,address recipient,uint256,uint256,uint256))
db3e2198 exactOutputSingle((address token,address token,uint24,address recipient,uint256,uint256,uint256,uint160))
f28c0498 exactOutput((bytes path,address recipient,uint256,uint256,uint256))
04e45aaf exactInputSingle((address token,address token,uint24,address recipient,uint256,uint256,uint160))
b858183f exactInput((bytes path,address recipient,uint256,uint256))
5023b4df exactOutputSingle((address token,address token,uint24,address recipient,uint256,uint256,uint160))
09b81346 exactOutput((bytes path,address recipient,uint256,uint256))
472b43f3 swapExactTokensForTokens(uint256,uint256,address[] token,address to)
42712a67 swapTokensForExactTokens(uint256,uint256,address[] token,address to)
49404b7c unwrapWETH9(uint256,address recipient)
49616997 unwrapWETH9(uint256)
df2ab5bb sweepToken(address token,uint256,address recipient)
e90a182f sweepToken(address token,uint256)
1c58db4f wrapETH(uint256)
12210e8a refundETH()
f3995c67 selfPermit(address token,uint256,uint256,uint8,bytes32,bytes32)
c2e3140a selfPermitIfNecessary(address token,uint256,uint256,uint8,bytes32,bytes32)
4659a494 selfPermitAllowed(address token,uint256,uint256,uint8,bytes32,bytes32)
88316456 mint((address token,address token,uint24,int24,int24,uint256,uint256,uint256,uint256,address recipient,uint256))
219f5d17 increaseLiquidity((uint256,uint256,uint256,uint256,uint256,uint256))
0c49ccbe decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))
fc6f7865 collect((uint256,address recipient,uint128,uint128))
24856bc3 execute(bytes commands,bytes[] inputs)
3593564c execute(bytes commands,bytes[] inputs,uint256)
`;

/** What the commands of Uniswap's router take, by command. Version 2.1.1 of the router added a parameter to some. */
const commands = `
00 (address recipient,uint256,uint256,bytes path,bool)
00 (address recipient,uint256,uint256,bytes path,bool,uint256[])
01 (address recipient,uint256,uint256,bytes path,bool)
01 (address recipient,uint256,uint256,bytes path,bool,uint256[])
02 (address token,address recipient,uint160)
03 (((address token,uint160,uint48,uint48)[],address spender,uint256),bytes signature)
04 (address token,address recipient,uint256)
05 (address token,address recipient,uint256)
06 (address token,address recipient,uint256)
07 (address token,address recipient,uint256)
08 (address recipient,uint256,uint256,address[] token,bool)
08 (address recipient,uint256,uint256,address[] token,bool,uint256[])
09 (address recipient,uint256,uint256,address[] token,bool)
09 (address recipient,uint256,uint256,address[] token,bool,uint256[])
0a (((address token,uint160,uint48,uint48),address spender,uint256),bytes signature)
0b (address recipient,uint256)
0c (address recipient,uint256)
0d ((address from,address recipient,uint160,address token)[])
0e (address owner,address token,uint256)
10 (bytes actions,bytes[] inputs)
21 (bytes commands,bytes[] inputs)
`;

/** What the actions of a swap of Uniswap 4 take, by action. */
const actions = `
06 (((address token,address token,uint24,int24,address hooks),bool,uint128,uint128,bytes hook))
06 (((address token,address token,uint24,int24,address hooks),bool,uint128,uint128,uint256,bytes hook))
07 ((address token,(address token,uint256,int24,address hooks,bytes hook)[],uint128,uint128))
07 ((address token,(address token,uint256,int24,address hooks,bytes hook)[],uint256[],uint128,uint128))
08 (((address token,address token,uint24,int24,address hooks),bool,uint128,uint128,bytes hook))
08 (((address token,address token,uint24,int24,address hooks),bool,uint128,uint128,uint256,bytes hook))
09 ((address token,(address token,uint256,int24,address hooks,bytes hook)[],uint128,uint128))
09 ((address token,(address token,uint256,int24,address hooks,bytes hook)[],uint256[],uint128,uint128))
0b (address token,uint256,bool)
0c (address token,uint256)
0d (address token,address token)
0e (address token,address recipient,uint256)
0f (address token,uint256)
10 (address token,address recipient,uint256)
11 (address token,address token,address recipient)
12 (address token)
14 (address token,address recipient)
16 (uint256)
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
