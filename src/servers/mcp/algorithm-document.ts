/** Made by `npm run docs:algorithm` from docs/algorithm.md, for the tool server's resource. */
export const algorithmDocument = `# Algorithms: from a text to the expressions of a list

A blocklist is published as hashes of **expressions**. To look something up, a client must produce exactly the same
expressions, byte for byte, in every engine and forever. An **algorithm** is the set of rules that produces them. This
page is enough to write a publisher or a client of \`portcullis-1\` in any language (the second implementation, in
\`test/support/oracle/\`, was written from it); it also specifies \`safe-browsing-4\`. \`docs/vectors/portcullis-1.json\` has
inputs, expressions and hashes, which the tests run.

A change to any byte of any expression makes a new algorithm with a new name. Adding rules for asset types that had none
does not.

## 1. Overview

\`\`\`
text ─ clean ─► link?  ─► host, path, query ─► link expressions   evil.example/a   evil.example …
          └───► typed asset? ─────────────────► typed expression  address:0x5290…
          └───► secret? refused before anything is hashed
expression ─ UTF-8 ─ SHA-256 ─► hash (32 bytes) ─► prefix: its first 4 bytes, big-endian
\`\`\`

Every step accepts any string, gives a result or a reason for a refusal, and takes linear time.

"Characters" below are Unicode code points of the input string. An unpaired surrogate counts as U+FFFD when it is
encoded.

## 2. Assets

An asset is a type and a canonical string, unique within the type. All 92 types of the service have rules.

| type | canonical | listed as |
|---|---|---|
| \`URL\` | a canonical host (§3) without leading \`www.\` (§3.5) | the canonical string |
| \`PAGE\` | the same, followed by a canonical path (§4) that is not empty | the canonical string |
| \`ADDRESS\` | §6.1 | \`address:\` and the canonical string |
| \`EMAIL\` | §6.2 | \`email:\` and the canonical string |
| \`PHONE_NUMBER\` | §6.3 | \`phone_number:\` and the canonical string |
| \`IPFS\` | §6.4 | \`ipfs:\` and the canonical string |
| the other 86 | §6.5, §6.6 and [asset-types.md](asset-types.md) | the type's name in lower case, \`:\` and the canonical string |

URL and PAGE share one space, because only a PAGE has a slash. Every other type is tagged: the type's name in lower
case, \`:\`, the canonical string. \`URL\` means a whole host with every subdomain and page. \`PAGE\` means one page and
everything below it.

The readings of a text are those of the targets inside it (§5.1); then the typed ones of §6, in the order of its
sections except that platforms precede IPFS and names; then, for each reading of the link (§3, §4), PAGE if it has a
path and neither path nor query is cut (§4.4), and URL; each asset once. A text that is a mailbox (§6.2) has no link,
unless the mailbox stands in angle brackets. If the caller names a type, only readings of that type count, and the rules
of §6 that require a named type apply; if the caller names a chain, only ADDRESS counts. The query is part of neither
PAGE nor URL; to list an exact link with its query, a publisher lists its expression \`host/path?query\` (§5).

What a listing covers: a URL of at most 11 labels covers the host, all its subdomains and all their pages; a URL of more
labels covers the host and its pages only. A PAGE of at most four segments covers itself and everything below it on the
same host (with or without \`www.\`); a PAGE of more segments covers itself with any query.

**A publisher must refuse** public suffixes (\`co.uk\`) and shared hosts (\`vercel.app\`) as URL, after removing \`www.\`: the
canonical form of \`www.co.uk\` is \`co.uk\`, and listing it would block every host below. That requires a list that
changes, so it is not part of the algorithm.

## 3. Links: cleaning, splitting, and the host

### 3.1 Cleaning

1. Remove every U+0009, U+000A and U+000D, anywhere. This joins no surrogates: an unpaired one before them becomes
   U+FFFD.
2. Remove from both ends the **edge characters**: U+0000–0020, U+007F–00A0, U+00AD, U+1680, U+2000–200F, U+2028–202F,
   U+205F–206F, U+3000, U+FEFF.

People paste the edge characters with a link, but a browser removes only U+0000–0020 and requests the others as a part
of the link. So if others stand at the end, the text with them is a second reading of the link (§3.6).

### 3.2 Splitting

A **scheme** is an ASCII letter followed by ASCII letters, digits, \`+\`, \`-\`, \`.\` up to the first \`:\`, read in lower
case. It decides:

1. \`http\`, \`https\`, \`ws\`, \`wss\`, \`ftp\`: a link. Skip every \`/\` and \`\\\` after the colon; the authority begins there.
2. No scheme: a link if the text does not begin with a slash, or begins with two or more of \`/\` and \`\\\` (skip them). A
   single slash: refused. A link is **marked** by a scheme of rule 1 or by two slashes at its start.
3. An apparent scheme is not one, and rule 2 applies, if \`//\` does not follow its colon, it is not one of
   \`about acct bitcoin blob data ethereum facetime filesystem intent javascript mailto market sip sips sms smsto ssh tel tg whatsapp xmpp\`,
   and, where *rest* is the text between the colon and the next \`/\`, \`\\\`, \`?\`, \`#\` or the end, one of these holds:
   *rest* is one or more digits (a port); *rest* is empty and the scheme contains a \`.\`; *rest* contains an \`@\`, and a
   \`.\` or a \`[\` after the last \`@\` (userinfo).
4. \`blob\`, \`filesystem\`: split the text after the colon, without cleaning it again, by these same rules (it need not
   have a scheme); its host is the link, its path and query are dropped. At most four such wrappers may be nested; more
   are refused as \`too-deep\`.
5. \`intent\`: no link itself, but up to two targets (§5.1), read as Android's \`Intent.parseUri\` reads them. Split the
   text after the colon at its last \`#\`, which \`Intent;\` must follow. Fields \`name=value\` come next, each up to the next
   \`;\` or the end; a field that begins with \`end\` or is \`SEL\` ends them. Escapes of ASCII (\`%00\` to \`%7F\`) in values,
   and in names that begin with a plain \`S.\`, are decoded once; the last field of a name counts. The first target is the
   text before the \`#\`, preceded by the field \`scheme\` and a \`:\` if there is such a field; the second is the field
   \`S.browser_fallback_url\`. Each counts if it has, after cleaning (§3.1), a scheme of rule 1. If neither counts, rule 6
   says why the text is refused; else the reason of the first is that of the text.
6. Any other scheme: not a link. Refused as \`unknown\` if a space follows the colon or it is one of
   \`bitcoin ens eth ethereum facetime ipfs ipns keyauth lightning lnurlp mailto market monero nostr pkg ronin sip sips sms smsto solana solana-action tel tg ton web+stellar web3 whatsapp zcash\`,
   which name assets of other types, else as \`internal-scheme\`.

The **authority** ends before the first \`/\`, \`\\\`, \`?\` or \`#\`. Userinfo, everything up to its last \`@\`, is dropped. If
the remainder ends in \`:\` and zero or more digits, that is the port and is dropped, once; so is the first \`:\` that is
followed by digits or none and a U+0000, with everything behind it (Firefox). The rest is the raw host.

The **fragment** begins at the first \`#\` after the authority and is dropped. The **query** is the text from the first
\`?\` before the fragment up to the fragment, without the \`?\`. The **raw path** is the text between the authority and the
query.

A link all of whose readings (§3.6) have a refused host is refused too: with a scheme as \`not-a-host\` if the host is a
single label that is not a number, with or without a dot behind it, else as \`unknown\`; without a scheme as \`not-a-host\`
if its raw host has no space and has a dot or is \`localhost\`, else as \`unknown\`. A single leading slash is refused as
\`unknown\` too.

### 3.3 Mapping a host to ASCII

1. Decode percent-escapes (\`%\` and two hex digits) once, to bytes, which must be well-formed UTF-8.
2. If the result is not all ASCII, map it, leniently and in this order (UTS-46, non-transitional, without its validity
   checks):
   1. Map each character separately:
      * these are ignored, that is, removed (UTS-46 table, status "ignored"): U+00AD, 034F, 115F, 1160, 17B4, 17B5,
        180B–180F, 200B, 2060–206F, 3164, FE00–FE0F, FEFF, FFA0, 1BCA0–1BCA3, 1D173–1D17A, E0100–E01EF; ZWJ, ZWNJ, ß and
        ς are kept;
      * U+03F2, 1D6D3, 1D70D, 1D747, 1D781 and 1D7BB become σ;
      * any other: normalize it to NFKD, fold, normalize to NFKC, remove the ignored characters, fold. Folding replaces
        each of AB70–ABBF by the character at 13A0–13EF, 13F8–13FD by 13F0–13F5, 1C80–1C88 by в д о с т т ъ ѣ ꙋ, U+0130
        by i and U+0307, U+0345 by ι, U+1E9E by ß, keeps 13A0–13F5, and replaces any other by its default lower case.
   2. Refuse if there is an unpaired surrogate or U+FFFD, or if more than 1,012 characters were not ignored.
   3. Normalize the whole to NFC. Read U+3002, FF0E and FF61 as \`.\`.
   4. Split at each \`.\`; a label that is not ASCII becomes \`xn--\` and its Punycode (RFC 3492). Refuse if it becomes
      longer than 63 octets, or 253 if it has a \`%\`. Labels that already begin with \`xn--\` are not decoded.
   5. If the host now has a \`%\`, go back to rule 1, at most eight times in all: full-width percent signs (U+FF05,
      U+FE6A) begin escapes too.
3. Lower-case the host. If it begins with \`[\`, it must end with \`]\`; §3.4 decides. Otherwise refuse if it contains one
   of: U+0000–0020, \`#\`, \`%\`, \`/\`, \`:\`, \`<\`, \`>\`, \`?\`, \`@\`, \`[\`, \`\\\`, \`]\`, \`^\`, \`|\`, U+007F.

The Unicode tables are those of the engine. An old engine may read a host differently if it has a character newer than
its tables.

### 3.4 Finishing a host

1. Remove dots at both ends; replace several dots in a row by one.
2. If the last label is all digits, or \`0x\` followed by hex digits or nothing, the host is an **IPv4 address**: one to
   four parts, each decimal, octal (a leading \`0\`) or hex (a leading \`0x\`; \`0x\` alone is 0). All parts but the last are
   at most 255; the last fills the rest of the 32 bits. It is written as four decimal numbers. Anything else is refused,
   unless the host ended in two dots or more before rule 1: browsers see an empty label there, and the host continues at
   rule 4 with \`..\` at its end, as part of its last label. If the link is not marked, a single number (no dot left after
   rule 1) is refused.
3. In brackets: an **IPv6 address** (RFC 4291 text, an IPv4 tail only at its end, with a dot and in any spelling of rule
   2; no zone). \`::ffff:0:0/96\` and \`64:ff9b::/96\` are written as the IPv4 address they carry; any other address in
   brackets in the form of RFC 5952 §4, always in hex.
4. Any other host is refused if it has no dot, more than 253 octets, or a label of more than 63.

### 3.5 \`www.\`

"Without leading \`www.\`" means: while the host begins with \`www.\` and the rest still has a dot, remove it. A
host that ends in \`..\` (§3.4) keeps it: \`1..\` would be read as the address 0.0.0.1.

### 3.6 Where browsers disagree

Some texts open one host in one browser and another host in another, or are cut in one of them. Every reading of the
cleaned text counts; the first is canonical. A reading whose host is refused is left out.

1. The text as split by §3.2.
2. If it had edge characters other than U+0000–0020 at its end (§3.1), the text with them.
3. If it has a U+0000: the text before the first one, without U+0000–0020 at its end, as split by §3.2, and its own
   reading by rule 4. (Firefox, in a link relative to the page or with the page's scheme.)
4. If it has no U+0000, its scheme is \`http\` or \`https\`, and three or more of \`/\` and \`\\\` follow the colon, the first
   two of them not \`//\`: take everything between the colon and the first \`?\` or \`#\` as a path, resolve it (§4.1, rule 1
   and 2), and read what remains without its first slash as authority and path. (Firefox, where page and link have the
   same scheme.)

Rules 3 and 4 apply to the text of rule 2 too, if there is one. With a wrapper of §3.2 rule 4, all of them apply to the
text inside it.

## 4. Path and query

A raw path usually has one or two readings. A browser resolves the dots before anything decodes an escape, and then
**requests** a path in which escaped slashes are part of their segment. A lenient server decodes what it was sent and
resolves again, and so **serves** another path. The requested path is canonical; a check also looks up the served one.

### 4.1 The requested path

1. Every \`\\\` becomes \`/\`. Split at each \`/\`; \`%2e\` and \`%2E\` in a segment that is otherwise at most two dots count as
   dots.
2. From left to right: a segment \`.\` is dropped; a segment \`..\` is dropped together with the segment before it, if there
   is one, even an empty one (the text before the first slash is not a segment). A path that ends in a dropped segment
   ends in a slash. Then replace several slashes in a row by one.
3. Decode each segment fully (§4.2), and write each byte up to 0x20 and from 0x7F on, \`#\`, \`%\`, \`?\`, \`/\` and \`\\\` as \`%\`
   and two upper-case hex digits. A segment that is now \`.\` or \`..\` is written with \`%252E\` for each dot.
4. Remove a slash at the end; the root becomes empty. Letter case is kept.

\`/a//../b\` is \`/a/b\`, and \`/a%2Fb/../c\` is \`/c\`.

### 4.2 The served path

**Full decoding**, over UTF-8 bytes: whenever the bytes read so far end in \`%\` and two hex digits, replace these three
by the byte they encode, and check again. Escapes cannot overlap, so any order of replacements gives the same result;
this one takes linear time.

1. Decode the requested path fully. Every \`\\\` becomes \`/\`, and then several slashes in a row become one.
2. Resolve dots and slashes by §4.1 rule 2, where only plain dots count.
3. Write each byte up to 0x20 and from 0x7F on, \`#\`, \`%\` and \`?\` as an escape. Remove a slash at the end.

If it differs from the requested path, the link has a second reading with this path, directly after the first. If the
requested path ends in escapes of edge characters (§3.1; the longest run of escapes of bytes up to 0x20 and from 0x7F on
must be well-formed UTF-8), the path without them is requested and served too: up to two more readings follow. **A
publisher must refuse** a link with another reading outside the folder of the first (everything up to the last slash of
its path), because the entry could mean either page, and the two can have different owners.

### 4.3 Query

Decode fully; write bytes up to 0x20 and from 0x7F on, \`#\` and \`%\` as escapes. Parameters are neither sorted nor
dropped. An empty query counts as none.

### 4.4 Length never hides a host

If a path, including its first slash, has more than 16,384 characters, the link has no query, and instead of the path
its first four segments, or as many of them as have together at most 16,384 characters and are followed by a slash. If
the canonical query, without its \`?\`, has more than 16,384, it has no query. Such a link is **cut**: it names more than
its text, so the folders are looked up, but the canonical link is the host alone, and a publisher refuses it. Nothing
else depends on length.

### 4.5 The canonical link

\`host\`, then the path, then \`?\` and the query if there is one; \`host/?query\` if the path is empty. No scheme. The host
keeps its \`www.\`. Reading a canonical link gives the same link first. For an \`intent:\` with two links it is the first.

## 5. Expressions of a link

*host* is the canonical host, and *site* the same without leading \`www.\`. Most specific first:

1. with a query: *site* path \`?\` query, or *site* \`/?\` query if the path is empty;
2. with a path: *site* path;
3. with a path of more than one segment: *site* and its first four, three, two segments, its first segment, each if it
   is shorter than the path;
4. *host*; but *site*, if that has more than 11 labels;
5. unless it is an IP address: its suffixes of 11, 10 … 2 labels, each if it is shorter than the host.

There are at most 17, on average 4.7. For \`https://www.a.evil.example/x/y?q=1\`: \`a.evil.example/x/y?q=1\`,
\`a.evil.example/x/y\`, \`a.evil.example/x\`, \`www.a.evil.example\`, \`a.evil.example\`, \`evil.example\`.

Expressions of an asset: for a URL those of its host, for a PAGE those of its canonical string (both without leading
\`www.\`), else the typed expression. A publisher lists the first. The expressions of an asset whose string is not
canonical are unspecified.

### 5.1 Subjects

A text names one or more **subjects**. Each is judged alone: an entry that allows one, or a user's decision about one,
says nothing about the others, and the worst result counts. They are, in this order:

1. the subjects of each target inside the text: the two of an \`intent:\` (§3.2), and those of §6.7. Each target is read
   as a text of its own, up to four deep and eight in all; a target beyond that is a subject that cannot be read;
2. each ADDRESS and EMAIL read from a text that is a link;
3. the other typed readings (for a URL the expressions of its host, for a PAGE the canonical string; the first four in
   all), together with the first reading of the link: an account and its page are one subject;
4. each other reading of the link.

The expressions of a text are those of its subjects, each once.

## 6. Other types

For all of them, the text is cleaned as in §3.1 and loses every U+200B, U+2060 and U+FEFF. Rules about links apply to
their canonical parts (§3, §4).

### 6.1 Addresses

**EVM**: \`0x\` or \`0X\` (or XDC's \`xdc\`) and 40 hex digits, any case, checksum not verified. Up to four names of at most
32 letters, digits and hyphens may precede it (CAIP-10, CAIP-19, DID, EIP-681, EIP-3770, \`web3\`): the first begins with
a letter, is not a scheme of §3.2 rule 1, and ends in \`:\`, optionally followed by \`//\`; the others begin with a letter
or a digit and end in \`:\` or \`/\`. \`pay-\` may follow the names. Letters may have any case. \`@\` and 1 to 64 hex digits
(with or without \`0x\`) may follow the address; then the text ends or continues with \`/\`, \`?\`, \`#\` or \`:\`. Canonical:
\`0x\` and the 40 digits in lower case. If \`address=0x\` and 40 hex digits follow there (any case; with no ASCII letter,
digit or \`_\` directly before or after), the first such 40 digits are an address too, which precedes the other: the
recipient of a payment in a token. If \`address=0x\` follows, but never with 40 digits, nothing is read: the recipient is
unknown, and the token alone is not what the text pays. The chain is not part of it, and a hint of a chain changes nothing.

Other chains, other spellings of EVM addresses, and payment requests: [addresses.md](addresses.md).

### 6.2 Mailboxes

A text of at most 2,048 UTF-16 units. The mailbox is the text after \`mailto:\` (any case) up to the first \`?\` or \`,\`,
decoded once; else the text between \`<\` and a \`>\` at the end; else the whole text. Split it at the last \`@\`. The local
part, trimmed of whitespace, in NFKC and lower case, has at most 64 UTF-16 units and is one or more words with single
dots between them; no word has whitespace, a control or one of \`@ . ( ) < > [ ] \\ , ; : " / ? #\`. The rest is a host
(§3.3, §3.4) that is not an IP address. Canonical: local part, \`@\`, host. For the hosts \`gmail.com\` and
\`googlemail.com\`, the host is \`gmail.com\`, and the local part loses its dots and everything from its first \`+\` on, and
must not be empty.

### 6.3 Telephone numbers

A text of at most 64 UTF-16 units, in NFKC, with decimal digits of other scripts as ASCII digits. Remove \`tel:\`, \`sms:\`
or \`callto:\` (and \`//\`) at the start, and at the end a \`;\` with everything after it, or \`,\`, \`#\`, \`x\`, \`ext\`, \`ext.\` and
digits. The rest is \`+\` or \`00\`, optionally after a \`(\`, and then only digits, whitespace and \`( ) . / -\` or a dash
U+2010–2015, 2212. The digits begin with an assigned calling code. One 0 after the code is dropped in countries with a
trunk 0 (both lists: \`src/core/assets/contact/phone.ts\`), and where the text has \`(0)\`, but never after 39. Refused:
another 0 after a code with a trunk 0; after 1, anything but ten digits whose first and fourth are 2 to 9; fewer than 7
or more than 15 digits. Canonical: \`+\` and the digits.

### 6.4 IPFS

An identifier of 20 to 256 characters is read to its last byte: version 0 (\`Qm…\`, base58), or version 1 in base 16 (\`f\`,
\`F\`), 32 (\`b\`, \`B\`), 36 (\`k\`, \`K\`), 58 (\`z\`) or 64 (\`u\`): version, codec, hash function, length, and that many bytes.
Canonical: version 1 in base 32, lower case; version 0 gets codec 0x70. With codec 0x72, and after \`ipns\` (where a bare
hash has that codec), it is \`ipns/\` and the identifier in base 36. It is found: alone, with 40 characters or more; after
\`ipfs:\`, \`ipns:\`, \`dweb:/ipfs/\`, \`web+ipfs:\` or \`/ipfs/\`; as the second segment of a path after \`/ipfs/\` or \`/ipns/\` on
any host; as the first label of a host before \`ipfs\` or \`ipns\`. After \`ipns\`, a host (§3) may take the place of an
identifier: \`ipns/\` and the host; in a label \`-\` is a dot and \`--\` a hyphen.

### 6.5 Names

A host that ends in \`.eth\`, in \`.eth.limo\` or in \`.eth.link\`, or the text after \`ens:\` or \`ethereum:\` (optionally \`//\`,
and after \`ethereum:\` then \`pay-\`; without \`@\`, ASCII letters and digits, and anything from a \`/\` or \`?\` on, at the
end), gives the name up to and including \`.eth\` as a URL, because DNS has no \`.eth\`. A label of three or more characters
before \`.base.eth\` is also a BASENAME: the label and \`.base.eth\`, in the spelling of a host.

### 6.6 Platforms

The rows of [asset-types.md](asset-types.md), in the order advertisements, social networks, messengers, media, stores,
shops, packages, documents, blockchains, explorers. Each row is tried independently and gives the results of its first
rule that matches and whose first result is complete. A rule without results that matches ends the row: it gives
nothing.

The host of a link, without leading \`www.\`, is compared with the **hosts** of a row; if none matches, without one of
\`m.\`, \`mobile.\`, \`touch.\`; then with wildcards: \`*.\` is any subdomain, \`~.\` two letters, or two, \`-\` and two. \`a.\` is
short for \`a.\` and the first host; \`a.com|de\` for \`a.com\` and \`a.de\`; \`.a.com\` for \`a.com\` and \`*.a.com\`. A subdomain
that is a reserved word, with or without a \`*\` before it, does not match.

A **rule** begins with a match. \`/\` matches a path from its start; nothing, or a \`/\` and any text, may follow unless the
rule ends in \`$\`. Before the slash may be the start of the host (\`a.|b.\`), or \`*\` or \`*{shape}\` for a subdomain. \`:\`
matches a text with another scheme in the same way, up to its query. \`@\` matches the whole text, optionally after an
\`@\`, if the type is named; \`@/x\` is both \`/x\` and \`@x\`. \`!\` is like \`@\` but does not need the type, for a text that is
not a link and has no space, or has a \`#\`. \`-\` requires that the first capture is not a reserved word (one with a \`*\` is
no word for captures). Regular expressions ignore case. \`?a|b=x\` requires that the first parameter named a or b (any
case; \`+\` is a space; decoded once) is x, \`#x\` that the fragment (decoded once) begins with x; their captures continue
the numbering. The path is the canonical one, decoded once, in NFC; path, query and fragment are cut at 2,048 UTF-16
units; \`@\`, \`!\` and \`:\` do not match a longer text.

An \`intent:\` that gives no asset of a platform by its links is read once more, as its field \`scheme\` (§3.2 rule 5; a
scheme other than \`intent\`, decoded once) and the text from its first colon up to its last \`#Intent;\`.

A **result** is a canonical string, which follows the first host if it begins with a slash: \`$1\` is a capture in lower
case and NFC, \`%1\` unchanged, \`^1\` in upper case, \`$0\` the subdomain, \`$h\` the host, \`$p\` the port, \`$1:name\` passed
through a filter of \`src/core/assets/platforms/filters.ts\`. A result is dropped if a capture is empty, or if a capture
that no filter wrote has a control, one of \`# ? % \\\`, or white space at an end. \`ADDRESS:\` (if it begins with \`0x\`),
\`PHONE_NUMBER:\` (§6.3) and \`PAGE:\` (page and host of a link) before it give an asset of that type. A result of a row of
the type ADDRESS is instead read as §6.1 reads a text of that type, and gives the address or nothing. An asset of a
platform is dropped if its canonical string, read with its type, gives another asset or none. Where names are
subdomains, \`www\` and \`m\` are reserved, and only \`m.\` is a mobile host.

### 6.7 Targets inside other texts

No rule yet.

## 7. Secrets

A text that is not a link is refused with the reason \`secret\`, before anything is hashed, if one of these holds:

* **Key.** Cleaned as in §6, it has 51 to 160 UTF-16 units and is, after removing a scheme at the start (a letter, 1 to
  20 letters, digits, \`+\` or \`-\`, \`:\`), then any of \`\`" ' \` < ( [ { /\`\` at the start and up to eight of \`\`" ' \` > ) ] }
  . , ; : ! ? / #\`\` at the end, one of: 51 base58 characters beginning with \`5 6 7\`, or with \`9\` and a digit; 52
  beginning with \`K L T Q X c\`; one of \`t u v x y z U V Y Z\`, \`prv\` and 107 or 108 base58 characters; \`6P\` and 56, with
  a lower-case letter among them; 86 to 88, but not \`f3\` or \`t3\` and 84 of \`a-z 2-7\` (Filecoin), nor after \`LNURL1\`;
  \`edsk\` and 50 or 94; \`S\` and 55 of \`A-Z 2-7\`; \`nsec1\`, \`suiprivkey1\` or \`age-secret-key-1\` and 50 to 80 bech32
  characters in any case; 64 hex digits, unless the caller names a chain or the type PRIMAL.
* **Other key.** Cleaned and stripped in the same way, with 28 to 1,024 UTF-16 units, it is one of: \`sEd\` and 28 base58
  characters; \`s\`, one of \`a h n p s\` and 27 base58 characters, with letters of both cases and a digit or two capital
  letters in a row among the 28 after the \`s\`; \`xprv1\`, one to three of (letters or digits and \`_\`) and \`sk1\` or \`xsk1\`,
  or \`secret-\`, up to 30 letters or hyphens and \`1\`, each before 50 to 990 bech32 characters in any case; 32 to 64
  numbers of up to three digits with a comma and any spaces between them; hex beginning with \`5820\`, \`5840\` or \`5880\`
  with 64, 128 or 256 digits after it; or it contains \`cborHex\`, one to six of \`"\`, \`:\` and space, and \`58\`.
* **Phrase.** It has the *form of a phrase*, the number of its words is 12, 13, 15, 16, 18, 20, 21, 24, 25 or 33, and
  none of them is a word of sentences (\`src/core/assets/all-secrets.ts\`), or an East Asian word that no list has:
  hiragana of less than three characters, more than one Chinese character, less than two or more than four Korean
  syllables, or any mixture.
* **Words.** It has at most 4,096 UTF-16 units, and in lower case, split at everything but \`a\` to \`z\`, \`_\` and \`=\`,
  twelve words in a row are in the filter of the English lists of BIP-39 and SLIP-39
  (\`src/core/assets/phrase-words.ts\`).

A **word** is a run of ASCII letters and of UTF-16 units from U+00C0 to U+1FFF and from U+3040 to U+FEFE. A text has
*twelve words* if it has at most 1,024 UTF-16 units, has whitespace inside or one of \`,\`, U+3001, U+FF0C, and has twelve
words or more. It has the *form of a phrase* if, after removing 1 to 40 characters other than digits, line feeds and
colons that a colon follows, it has twelve words, what is between them is always the same once each run of digits and
whitespace is one space, and no run of letters of ASCII or from U+00C0 to U+04FF has one or two. Whitespace is
U+0009–000D, 0020, 00A0, 1680, 2000–200A, 2028, 2029, 202F, 205F, 3000, FEFF.

A bundle made with \`portcullis/core\` knows keys and the form of a phrase; the family \`secrets\` adds other keys and
words, and then a sentence in the form of a phrase is \`unknown\`, not \`secret\`
([decision 0028](decisions/0028-phrases.md)). Neither is hashed.

Where a text would be hashed, twelve words of any kind are enough. A text that is a link is refused if it has twelve
words and none of \`/ ? # @ :\`: \`1.abandon\`, \`2.ability\` … on separate lines become a host when line ends are removed.
Any other link is not a secret, so that no link can be disguised as one. The canonical string of an asset other than URL
and PAGE is refused if it is a secret or has twelve words, except that 64 hex digits may be an ADDRESS or PRIMAL. A
refused text is never hashed, even if another rule could read it.

## 8. \`safe-browsing-4\` and \`safe-browsing-5\`

The public Safe Browsing v4 rules (developers.google.com/safe-browsing/v4/urls-hashing), with its own canonical form
\`scheme://host/path?query\` and up to 5 × 6 expressions. It shares cleaning, splitting and IP forms with \`portcullis-1\`.
It differs: any host is valid, even a single label; a host is fully decoded and escaped; a path keeps a slash at the
end, and a decoded \`\\\` or \`?\` stays unescaped; an empty query keeps its \`?\`. Only links have expressions. A text that is
a key or another key (§7), or has twelve words and none of \`/ ? # @ :\` after its scheme, is not a link, nor is one whose
decoded host, without soft hyphens and zero-width characters, is such a key or has twelve words.

The readings of §3.6 are subjects here too. A text that begins with an escaped colon after letters (\`http%3A\`) is fully
decoded before it is split.

These rules decode characters that separate parts, so reading a canonical form does not always give the same form:
\`http://a%40b.example/\` is written \`http://a@b.example/\`, which is another host. It does if the host holds only letters,
digits, dots and hyphens, and no \`\\\` or \`?\` was decoded in the path.

\`safe-browsing-5\` has the public rules of Safe Browsing v5: the same canonical form, and six paths with the exact host
and with every suffix of two to seven labels. The rules combine them with up to four suffixes, from the registrable
domain on; without a list of public suffixes, all that may be among these are looked up. A list holds no public suffix.

Every public vector (\`docs/vectors/safe-browsing-urls.json\`, \`safe-browsing-expressions.json\`) passes except one:
\`http://\\x01\\x80.com/\` holds a byte that is not UTF-8, which no string can carry. Its escaped spelling
\`http://%01%80.com/\` gives what the vector asks for.
`;
