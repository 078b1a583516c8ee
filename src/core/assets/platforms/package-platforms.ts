import { type PlatformTable, rows } from './platform-table.js';

/** Packages and the accounts that publish them. A name is unique only within its registry. */
export const packagePlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
GITHUB github.com gist. raw.githubusercontent.com codeload. api. gist.githubusercontent.com media.githubusercontent.com raw. github.dev vscode.dev cdn.jsdelivr.net
gist./([a-z\d][a-z\d-]{0,38})/([\da-f]{20}|[\da-f]{32}) gist.github.com/$2 /$1
gist./([\da-f]{20}|[\da-f]{32}) gist.github.com/$1
gist./(?:discover|starred|forked)$
-gist./([a-z\d][a-z\d-]{0,38})(?:/(?:starred|forked))?$ /$1
api./repos/([a-z\d][a-z\d-]{0,38})/([\w.-]{1,100}) /$1/$2:nogit /$1
cdn./gh/([a-z\d][a-z\d-]{0,38})/([\w.-]{1,100})(?:@[^/]*)? /$1/$2:nogit /$1
media.|vscode./(?:media|github)/([a-z\d][a-z\d-]{0,38})/([\w.-]{1,100}) /$1/$2:nogit /$1
-github./login$ ?return_to=/([a-z\d][a-z\d-]{0,38})(?:[/?#].*)? /$1
api.|github./(?:users|orgs|stars)/([a-z\d][a-z\d-]{0,38}) /$1
/sponsors/(?!accounts|explore|community)([a-z\d][a-z\d-]{0,38})$ /$1
github./[^/]+/[^/]+/(?:files|assets)/\d+
-github.|raw.|codeload./([a-z\d][a-z\d-]{0,38})/([\w.-]{1,100}) /$1/$2:nogit /$1
-github./([a-z\d][a-z\d-]{0,38})(?:\.(?:keys|gpg|png|atom))?$ /$1
:(?:(?:git\+)?(?:ssh://)?git@|git(?:\+https)?://|(?:x-github-client|github-mac|github-windows)://openRepo/https://)github\.com[:/]([a-z\d][a-z\d-]{0,38})/([\w.-]{1,100}) /$1/$2:nogit /$1
@([a-z\d][a-z\d-]{0,38})/([\w.-]{1,100}) /$1/$2:nogit
@([a-z\d][a-z\d-]{0,38}) /$1
reserved trending site enterprises customer-stories readme issues pulls codespaces dashboard discussions stars nonprofit sponsors copilot advisories sessions user-attachments organizations watching gist models mcp spark edu premium-support accelerator newsroom git-guides open-source why-github github-copilot dashboard-feed about search login settings signup explore home pricing features enterprise solutions join notifications logout contact apps topics sitemap account collections partners team users resources security mobile events marketplace new session invitations orgs

NPM npmjs.com npmjs.org yarnpkg.com classic.yarnpkg.com unpkg.com cdn.jsdelivr.net jsdelivr.com esm.sh
npmjs./~([\w.-]+) ~$1
npmjs./org/([\w.-]+) @$1
npmjs.|yarnpkg.|classic./<lang>packages?/((?:@[\w.~-]+/)?[\w.~-]+) %1
yarnpkg./package$ ?name=((?:@[\w.~-]+/)?[\w.~-]+) %1
cdn.|jsdelivr./(?:package/)?npm/((?:@[\w.~-]+/)?[\w.~-]+?)(?:@[^/]*)? %1
esm./(?:gh|jsr|pr)/[^/]+
unpkg.|esm./(?:browse/|v\d+/|stable/)?\*?((?:@[\w.~-]+/)?[\w.~-]+?)(?:@[^/]*)? %1
:pkg:npm/((?:(?:%40|@)[\w.~-]+/)?[\w.~-]+?)(?:@[^/]*)?$ %1
@@([\w.-]+) @$1
@(?:npm:|npm\s(?:i|install)\s|npx\s)?((?:@[\w.~-]+/)?[\w.~-]+?)(?:@[a-z\d.^~<>=*|\s-]*)? %1

PYPI pypi.org pypi.python.org test. pypi.io
@/user/([\w.-]+) user/$1
/(?:project|p|simple|pypi)/([a-z\d](?:[\w.-]*[a-z\d])?) $1:pep503
:pkg:pypi/([\w.-]+?)(?:@[^/]*)?$ $1:pep503
@(?:pip3?\sinstall\s)?([a-z\d](?:[\w.-]*[a-z\d])?)\s*(?:\[[^\]]*\])?\s*(?:(?:==|>=|<=|~=|!=|<|>)[^;]*)?(?:;.*)? $1:pep503

HEX hex.pm hexdocs.pm repo. preview. diff.
hex./users/([\w.-]+) user/$1
hex.|repo.|preview./(?:packages|preview)/([a-z]\w*) $1
repo./tarballs/([a-z]\w*)-\d[^/]*\.tar$ $1
hexdocs./([a-z]\w*) $1
:pkg:hex/([a-z]\w*?)(?:@.*)?$ $1
@user/([\w.-]+) user/$1
@:?([a-z]\w*) $1

DOCKER_HUB hub.docker.com docker.io index.docker.io registry-1.docker.io registry.
hub.|registry.hub./(?:r|repository/docker|layers|tags|extensions|mcp/server|v2/repositories)/([\w-]{2,40})/([\w.-]+) $1/$2
hub.|registry.hub./_/([\w.-]+) library/$1
/(?:u|orgs)/([\w-]{2,40}) @$1
-docker.|index.|registry-1./(?:v2/)?([\w-]{2,40})/([\w.-]+?)(?::[\w.-]+)?(?:@sha256:[\da-f]{64})?(?:/manifests/.*)?$ $1/$2
-docker./([\w.-]+?)(?::[\w.-]+)?(?:@sha256:[\da-f]{64})?$ library/$1
:pkg:docker/([\w-]{2,40})/([\w.-]+?)(?:@.*)?$ $1/$2
@(?:docker\s(?:pull|run)\s)?(?:docker\.io/)?([\w-]{2,40})/([\w.-]+?)(?::[\w.-]+)?(?:@sha256:[\da-f]{64})? $1/$2
@@([\w-]{2,40}) @$1
@(?:docker\spull\s)([\w.-]+?)(?::[\w.-]+)? library/$1
reserved billing search settings signup explore orgs

RUST_PACKAGE crates.io docs.rs lib.rs static.
crates./users/([a-z\d-]+) user/$1
crates.|lib.|static./(?:api/v1/)?crates/([a-z][\w-]{0,63}) $1:crate
-docs./(?:crate/)?([a-z][\w-]{0,63}) $1:crate
@user/([a-z\d-]+) user/$1
:pkg:cargo/([a-z][\w-]{0,63})(?:@.*)?$ $1:crate
@(?:cargo\s(?:add|install)\s)?([a-z][\w-]{0,63})(?:@[\w.^~=<>*\s-]+)? $1:crate
reserved releases about search
`)();
