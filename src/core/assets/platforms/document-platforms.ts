import { type PlatformTable, rows } from './platform-table.js';

/** Forms, notes and page snapshots. */
export const documentPlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
GOOGLE_FORM docs.google.com forms.gle
forms./([a-z\d]{8,24})$ forms.gle/%1
/(?:a/[^/]+/)?forms/(?:u/\d+/)?d/e/([\w-]{20,120}) /forms/d/e/%1
/(?:a/[^/]+/)?forms/(?:u/\d+/)?d/([\w-]{20,120}) /forms/d/%1
/spreadsheet/viewform$ ?formkey=([\w-]{20,120}) /forms/d/%1

JOTFORM jotform.com|me|us|co|ca form.jotform.com|me|us|co|ca eu. hipaa. submit. agent. pci. jotformeu.com form.jotformeu.com jotformpro.com form.jotformpro.com *.
/(?:(?:form|build|app|sign|submit|agent|edit|pdf|embed|jsform|inbox|share)/)*(\d{12,20}) $1
-form.|eu.|hipaa./(?:form/)?([\w.-]{2,60})/([\w.-]{1,120})$ $1/$2
@(\d{12,20}) $1
@([\w.-]{2,60})/([\w.-]{1,120}) $1/$2
reserved form-templates myforms answers build form tables sign sheets report workflow inbox about login signup terms privacy help pricing blog enterprise app integrations products widgets

HACKMD hackmd.io g.
/@([\w-]{1,60})/([^/\s]+)(?:/edit)?$ /@$1/%2 /@$1
/@([\w-]{1,60})$ /@$1
/(s|p)/([\w-]{5,30})(?:/edit)?$ /$1/%2
/([\w-]{16,30})(?:/edit)?$ /%1
@@([\w-]{1,60}) /@$1

ISSUU issuu.com e.
e./embed\.html$ ?u=([\w.-]+) ?d=([\w.-]+) /$1/docs/$2
-/([\w.-]{2,64})/docs/([^/\s]+) /$1/docs/$2 /$1
@-/([\w.-]{2,64}) /$1
reserved publishers about search signup explore home help pricing features signin legal oembed stories categories store

ARCHIVE_ORG web.archive.org archive.org wayback.archive.org
/web/(\d{4,14})(?:[a-z]{2}_)?/(.+)$ /web/$1/$2:link PAGE:$2:link
archive./(?:details|download|embed|stream|metadata)/(@?[a-z\d][\w.-]{0,99}) archive.org/details/%1
`)();
