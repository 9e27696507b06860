package classify

import (
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// absentCauses: what was asked for does not exist.
var absentCauses = []cause{
	{id: "absent.tool", tier: tierMeaning, code: envelope.NotFound, lead: leadNoTool, advice: adviceList, phrases: `
		unknown tool | unknown or…tool: | tool…not implemented | no such tool | tool not found | tool…not found | tool…was not found | tool…does not exist | tool…doesn't exist | tool…not available
		tool…is not registered | tool is not available | no tool named | no tool with name | no tool called | tool_not_found | toolnotfound*
		unrecognized tool | unsupported tool | invalid tool name | invalid tool: | not a known tool | not a valid tool | tool 'x' not known | 找不到工具 | 未找到工具
		工具不存在 | 工具未找到 | 未知工具 | 未知的工具 | 不存在于任何服务 | ツールが見つかり | 도구를 찾을 수 | 알 수 없는 도구 | werkzeug nicht gefunden | outil introuvable | outil inconnu
		herramienta no encontrada | herramienta desconocida`, unless: `
		not available because | requires…or higher | requires…edition`},
	{id: "absent.method", tier: tierMeaning, code: envelope.NotFound, phrases: `
		method not found | method…not found | unknown method | no such method | unimplemented | method is not implemented | unsupported method
		unknown function | unknown operation | unknown action | unknown command | unknown endpoint | unknown route | unknown resource | unknown prompt
		unknown backend | unknown service | unknown server | no handler for | no handler registered | no…is registered | no…registered for | no…registered under | have a resource type | no route matches | no route found | route not found`, unless: `
		undefined method | must be one of | valid actions | allowed actions | available actions | supported actions | valid operations | supported operations | available operations | expected one of`},
	{id: "absent.session", tier: tierMeaning, code: envelope.NotFound, phrases: `
		session not found | session…not found | session_not_found | sessionnotfound* | unknown session | invalid session id | no such session
		session does not exist | no session with id | no session found | session unknown`, unless: `
		no valid session id`},
	{id: "absent.data", tier: tierMeaning, code: envelope.NotFound, lead: leadResource, advice: adviceSchema, phrases: `
		has no column named | has no column | no column named |
		relation…does not exist | table…does not exist | table…doesn't exist | table or view does not exist | table or view not found | table not found
		table_not_found | no such table | unknown table | er_no_such_table | er_bad_db_error | invalid object name | undefinedtable | undefined_table
		undefinedcolumn | undefined_column | no such column | column…does not exist | column…doesn't exist | column not found | unknown column
		invalid column name | er_bad_field_error | unknown database | database…does not exist | database…doesn't exist | database…not found
		schema…does not exist | no such index | index_not_found_exception | index not found | collection…doesn't exist | collection…does not exist
		collection…not found | collection not found | namespacenotfound | namespace not found | ns not found | dataset…was not found | dataset not found
		view…does not exist | function…does not exist | unknown_table | unknown_database | ora-00942 | ora-04043 | 42p01 | 42703 | 42s02 | 42s22 | 3d000`},
	{id: "absent.file", tier: tierMeaning, code: envelope.NotFound, phrases: `
		enoent | nosuchpatherror | invalidgitrepositoryerror | no such file | no such file or directory | no such directory | no such path | no such folder | no such object | file not found
		file…not found | file was not found | file does not exist | file doesn't exist | file…does not exist | file…doesn't exist | filenotfound*
		filenotfoundexception | nosuchfile* | directorynotfound* | directory not found | directory does not exist | directory…does not exist
		folder not found | folder does not exist | path not found | path_not_found | path does not exist | path…does not exist | path doesn't exist
		could not find file | could not find a part of the path | could not find the file | cannot find the path | cannot find the file
		the system cannot find | unable to open database file | errno 2 | os error 2 | os error 3 | 文件不存在 | 文件未找到 | 找不到文件 | 目录不存在 | 路径不存在 | ファイルが見つかり
		ファイルが存在しません | 파일을 찾을 수 | 파일이 존재하지 | 파일이 없 | datei nicht gefunden | verzeichnis nicht gefunden | datei oder verzeichnis nicht gefunden
		fichier introuvable | fichier non trouvé | aucun fichier | archivo no encontrado | no se encontró el archivo | el archivo no existe
		no existe el archivo | arquivo não encontrado | file non trovato | файл не найден | нет такого файла | bestand niet gevonden`, unless: `
		required file`},
	{id: "absent.record", tier: tierMeaning, code: envelope.NotFound, phrases: `
		can't find collection | can't find table | can't find file | can't find the | cannot find any | can't find any | cannot find the | could not find any | could not find a | no active device | no active session | no program loaded | no document open | no project open | no scene loaded | no such column…on | was not found in | does not contain a | doesn't contain a | invalid device | no function at | not found | not-found | not_found | notfound | notfounderror | notfoundexception | *notfoundexception | *notfounderror | *notfoundfault | *_not_found
		*doesnotexist | *notexistexception | was not found | were not found | wasn't found | is not found | isn't found | points nowhere | holds nothing | returned nothing | was destroyed | under that number | under that name | under this name | by that name | with that name | with this name | could not be located | cannot be located | could not locate | cannot locate | can't locate | couldn't locate | unavailable or deleted | deleted or unavailable | not listed | cannot be found | can't be found
		could not be found | couldn't be found | could not find | couldn't find | cannot find | can't find | unable to find | unable to locate
		failed to find | failed to locate | did not find | didn't find | not be found | no longer exists | does not exist | doesn't exist | do not exist
		don't exist | did not exist | not exist | not exists | does_not_exist | nonexistent | non-existent | no such | did not resolve | not a recognized | not recognized id | could not route | nothing found | match anything | matches nothing | was never created | was never pushed | was never uploaded | never existed | vanished | cleaned up already | already cleaned up | not around any more | not around anymore | is not registered | not registered with | isn't registered | kein…vorhanden | keine…vorhanden | is unknown to | unknown to the | delisted | came back empty | not in the catalog | not in our catalog | is no longer online | does not operate | not been deployed | not been created | not been published | not been indexed | no longer lives | none exist | there is no | cannot resolve symbol | cannot resolve column | cannot resolve reference | cannot resolve name | no active | there are no | isn't available
		no transcript | no subtitles | no captions | nothing with | no customer | no order | no contact | no running container | no entry | no entries | kein eintrag | keine ergebnisse | nicht vorhanden | nie znaleziono | nie istnieje | nenalezen | ikke fundet | hittades inte | ei löydy | tidak ditemukan | không tìm thấy
		no such bucket | nosuchbucket
		nosuchkey | nosuchentity* | nosuchelement* | nosuchupload | nosuchhostedzone | nosuchelementexception | nosuchwindowexception | no such container
		no such image | no such element | no such user | no such entity | no such key | no such item | no such resource | no such host | no such service
		no such network | no such volume | no such process | no element found | no element matching | no matching | no match for | no matches for
		no node found | no tab with given id | no tab with | no frame with | no window with | no page with | no item with | no user with | no record with
		no record found | no records found | no rows in result set | no rows | no row was found | no query results for | no results for | no result found
		no results found | no data found | no data for | no data available | no document to update | no document | no documents found | no entity found
		no entry found | no item found | no items found | no issue found | no account found | no file found | no files found | no object found
		no object with | no resource found | no channel | no project found | no project with | no repository | no branch | no commit | no customer found
		no default | no matching distribution | no matches the given query | matches the given query | none found | zero_results | zero results
		empty result set | unknown channel | unknown user | unknown message | unknown guild | unknown member | unknown role | unknown model | unknown id
		unknown object | unknown entity | unknown issue | unknown project | unknown host key | unknown revision | unknown blob | unknown manifest
		manifest unknown | name unknown | could not resolve to a | could not resolve to an | could not resolve reference | exact match | did not match any
		not known to git | bad revision | bad object | not a git repository | not a valid object name | ambiguous argument
		couldn't find remote ref | pathspec | entity not found | requested entity was not found | requested resource | recordnotfound | record not found
		recorddoesnotexist | objectdoesnotexist | entitynotfound* | emptyresultdataaccess* | noresultfound | noresultexception | resourcenotfound*
		resource not found | resource_not_found | resourcemissing | resource_missing | object_not_found | objectnotfound | parentresourcenotfound
		channel_not_found | user_not_found | users_not_found | message_not_found | thread_not_found | file_not_found | model_not_found | page_not_found
		missing resource | 404 page not found | 404 not found | http 404 | has been deleted | was deleted | already deleted | already been deleted
		has been removed | is gone | deleted or | element not found | selector not found | stale element reference | staleelementreference* | staleelement*
		node with given id | unable to locate element | cannot put / | cannot get / | cannot post / | cannot delete / | e_notfound | p2025 | pgrst116 | 未找到
		找不到 | 没有找到 | 不存在 | 查无 | 无此 | 見つかりません | 見つかりませんでした | 存在しません | 찾을 수 없 | 존재하지 않 | 없는 리소스 | nicht gefunden | existiert nicht | konnte nicht gefunden
		introuvable | non trouvé | non trouvée | n'existe pas | pas trouvé | no encontrado | no encontrada | no se encontró | no se ha encontrado | no existe
		não encontrado | não encontrada | não existe | non trovato | non esiste | не найден | не найдена | не найдено | не существует | niet gevonden
		bulunamadı`, unless: `
		api key not found | credentials not found | token not found | required property | required argument | required key not found
		executable file not found | command not found | module not found | property…not found in schema`},
}

var (
	leadNoTool   = sanitize.Const("Error: there is no tool of this name.")
	leadResource = sanitize.Const("Error: could not access the requested resource.")
	adviceSchema = sanitize.Const("Check the table and column names against the schema tool.")
	adviceList   = sanitize.Const("Use a name from the list of tools.")
)
