package cli

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

// This file describes what --json prints. A fact has the same name in every object. The
// help is generated from both tables, and tests compare them with the commands' output.

// object is a kind of JSON object that commands print.
type object struct {
	name     string
	commands string
	of       any
}

var objects = []object{
	{"memory", "ls, ls --at; a file that is no memory, too", entryJSON{}},
	{"content", "cat, cat --at", contentJSON{}},
	{"version", "log PATH, show VERSION", versionJSON{}},
	{"change", "log, show CHANGE, and each command that changes memories", changeJSON{}},
	{"change of a store", "cp, mv, merge of two stores; mv and merge print two", inStoreJSON{}},
	{"version with its difference", "log -p PATH, log --stat PATH", patchJSON{}},
	{"change with its differences", "log -p, log --stat", patchedChangeJSON{}},
	{"difference", "diff, merge --dry-run", diffJSON{}},
	{"tree difference", "diff --at", treeDiffJSON{}},
	{"line", "blame", blameJSON{}},
	{"trace step", "trace", traceJSON{}},
	{"plan", "restore, undo, redo, search --replace with --dry-run", planJSON{}},
	{"partly done", "a change of a hosted store that failed in the middle", partlyJSON{}},
	{"hit", "search", hitJSON{}},
	{"past hit", "search --history", pastHitJSON{}},
	{"session", "sessions", sessionJSON{}},
	{"read", "log --reads", readJSON{}},
	{"stale memory", "stale, stale --delete --dry-run", staleJSON{}},
	{"event", "watch, agent, show SESSION, stores mirror --follow", eventJSON{}},
	{"answer", "tool", toolResultJSON{}},
	{"unreviewed memory", "review", unreviewedJSON{}},
	{"held change", "review, review show, review reject", heldJSON{}},
	{"policy", "policy show, and each of its commands", policyJSON{}},
	{"pin", "pin", pinJSON{}},
	{"redaction", "redact --dry-run", redactionJSON{}},
	{"receipt", "redact, also with --list or --verify; stores delete, stores disconnect", receiptJSON{}},
	{"status", "status", statusJSON{}},
	{"space", "ls --sizes", usageJSON{}},
	{"store", "stores, and each of its commands that makes or changes one", storeJSON{}},
	{"deletion", "stores delete --dry-run", deletionJSON{}},
	{"place", "stores discover", foundJSON{}},
	{"hosted store", "stores connect", hostedJSON{}},
	{"mirror", "stores mirror", mirroredJSON{}},
	{"import", "import", importedJSON{}},
	{"export", "export", exportedJSON{}},
	{"backup", "backup", backupJSON{}},
	{"check", "check", checkJSON{}},
	{"chain head", "check --head", chainHeadJSON{}},
	{"repair", "check --repair", repairedJSON{}},
	{"findings", "guard; an object for each text", findingsJSON{}},
	{"token", "tokens, tokens create", tokenJSON{}},
	{"settings", "config", configJSON{}},
	{"problem", "config check", problemJSON{}},
	{"theme", "config themes", themeJSON{}},
	{"key", "keys", keyJSON{}},
	{"release", "version", releaseJSON{}},
	{"setup", "setup CLIENT", setupJSON{}},
	{"client", "setup", clientJSON{}},
	{"finding", "doctor", finding{}},
}

// fields describes each field.
var fields = map[string]string{
	"about": "what was looked at: home, disk, trail, store, limits, connection, client", "checks": "checks of what was written, made as the client would", "client": "the agent's program", "door": "how a change came in: tui, cli, tool, agent, mcp, storesapi, hook; absent: it was found in the folder, or is not known; of a check, mcp or hooks", "again": "its own steps are listed above", "undone": "its change is undone, and not redone", "depth": "how many steps from the beginning", "from_version_id": "the version that it was reached from", "reading_session_id": "the session that read one of the two versions and wrote the other", "decided_at": "when a person decided; absent: it waits", "decided_by": "who decided", "held": "number of the held change, in the home", "pinned_for": "agents or all", "plan": "what it would do now", "preset": "open, careful or review; absent: the rules are others", "rejected_as": "the rejected change whose text it brings back", "rules": "the rules, one on each line", "state": "waiting, accepted, rejected or erased; applied: it was not held, and is not reviewed", "taken_in": "kinds of sources that the session had taken in before: web, shell, mcp, file; second hand: through a memory",
	"edits": "the settings files, with their changes", "hooks": "its hooks are set up", "level": "ok, note or wrong", "mcp": "its MCP server is set up", "scope": "user or project",
	"seen": "the result", "stop_explanation": "the API's explanation of the stop reason", "written": "it was written",
	"action": "what is done; of a key, the action's id", "after": "the memory at the second moment", "agent": "the agent that the memories are of",
	"applied_edits": "context edits that the API applied", "archived_at": "when it was archived; absent: it is not", "as_of": "the moment in time", "author_email": "of an imported commit, the e-mail address of its author", "at": "where it is set: the file with its line, a variable or a flag", "attempt": "number of the retry, from 1",
	"backup": "the file or folder that was written", "before": "the memory at the first moment", "binary": "it is not UTF-8 text", "block": "a block of a message, as in the API",
	"block_type": "type of the block that begins or grows", "bytes": "bytes that were searched", "change": "number of the change in its store; 0: nothing had to be changed",
	"changed_outside": "versions written by other programs since the last scan", "changes": "number of changes; of a plan, the changes that are undone", "chosen": "it is in use", "clean": "memories that can be changed as planned",
	"coarse": "an earlier version may have written it", "column": "position in the line, in Unicode characters, from 1", "command": "command of the memory tool", "committed_at": "when the source was committed", "compaction": "a compaction of the conversation",
	"conflict": "why it can't be done without a decision", "conflicts": "memories that need a decision", "connected_as": "name of its local replica",
	"content": "the text; of a tool, its answer", "content_base64": "the content, where it is not UTF-8", "content_damaged": "the content can't be read", "content_sha256": "SHA-256 of the content, in hexadecimal",
	"content_size_bytes": "size of the content in bytes", "copied_from": "the version in another store that it was copied from", "merged_from": "the version in another store that was merged into it", "moved_to": "the version that it became in another store", "context_window": "size of the model's context in tokens", "count": "how many there are", "created_at": "when it was made; of a session, when it began", "created_by": "who made it",
	"cut_after": "the line continues", "cut_before": "the line begins earlier", "damaged": "texts left out because they are damaged", "damaged_trail": "where the damaged trail was put",
	"dark": "it is for dark backgrounds", "deletions": "of the erased versions, those that the redaction's own change made", "deleted": "memories that were deleted at once", "description": "what it is for", "does": "what the action does", "done": "paths that were changed",
	"drafts": "unsaved texts that were erased", "editor_copies": "copies for editors that were erased", "end": "position of its end, in bytes", "erase": "versions to be erased",
	"error": "what went wrong; in an event, objects are those of the Messages API", "file": "a file on this machine", "files": "number of files", "findings": "what the guard found in the text", "first_line": "the first line that is shown", "first_version": "the first version that contains it", "folder": "the folder; of a receipt, what became of it",
	"folder_removed": "the folder is removed with its store", "folders_not_copied": "folders elsewhere, of which only the history is copied", "found": "the file exists; of a receipt, what still contains the text", "found_more": "number of places that are not listed",
	"from_path": "the path before a rename", "go": "version of Go", "held_by": "versions that have the text, newest first", "healed": "contents that were repaired from the folders", "hidden_characters": "invisible characters", "hint": "what to do", "history_size_bytes": "size of the versions of its memories in bytes", "history_lost": "the history could not be saved",
	"home": "the folder of memend's own data", "home_size_bytes": "size of its files in bytes; absent: a part can't be read", "id": "the object's own id; of a receipt, its number", "project_gone": "the project does not exist any more", "unknown_version": "why the folder can't be added: its tool has a version that is not known", "careful": "what to know before a change in the folder", "in_memory_store_id": "the store whose folder contains it", "index": "number of the block in its reply", "inferred": "actor, session and tool call were inferred", "is_error": "the call failed",
	"keys": "keys that do it", "kept": "versions with the same content that are not erased", "kind": "of a change: create, edit, rename, delete, restore, undo, redo, adopt, import, forget; of a file: memory, link, too big, special, unreadable; of a difference: created, modified, renamed, deleted; of a finding: secret, hidden, link, instruction, size",
	"last_line": "the last line that is shown", "last_read_at": "when it was read last; absent: never", "last_seen_at": "when the session did something last", "last_used_at": "when it was last opened", "last_version": "the last version that contains it", "later_change": "the later change that conflicts",
	"latest_session": "the session seen last", "left_out": "what can't be a memory", "limits": "limits in force; an absent limit means none", "line": "number of the line, from 1", "lines": "lines that contain it", "lines_added": "lines that it added; absent where they are not counted", "lines_removed": "lines that it removed; absent where they are not counted",
	"local": "it applies to this machine only", "lost": "what a repair found lost", "lost_changes": "changes that are lost", "lost_contents": "contents that are lost", "lost_versions": "versions that are lost", "masked": "texts in conversations that were masked",
	"match_count": "how often it matches", "matches": "where it matches, in bytes; of a receipt, how often", "max_bytes": "maximum size of a memory in bytes", "max_memories": "maximum number of memories", "memories": "number of memories", "memories_sent": "memories sent to the service", "memories_skipped": "memories left out",
	"message": "of an imported commit, its message; only where it is shown, not listed", "memory_id": "the memory it belongs to", "memory_store_id": "the store it belongs to", "memory_store_ids": "the stores it worked on", "memory_version_id": "the version it belongs to", "memory_versions": "versions that the change made", "merged": "memories that are merged", "metadata": "keys and values kept with it", "model": "the model",
	"modified": "built from changed sources", "named_files": "patterns of the files in the folder that are its memories; absent: all files", "moment": "the moment to restore", "more": "there are more than were counted", "name": "its name", "new": "the second side", "mass_deletions": "numbers of changes that deleted many memories at once; of each series, the last", "not_memories": "files that are not memories", "not_done": "paths that were not changed", "not_searched": "what the search does not reach", "nothing_to_do": "memories that stay as they are", "now": "the memory as it is",
	"number": "number of the version in its memory; of a place, in the list", "offset": "position of the text in the memory, in bytes", "ok": "no problem was found", "old": "the first side", "operation": "created, modified or deleted", "original_line": "number of the line in the version that wrote it", "outside_changes": "numbers of the changes that recorded them", "outcome": "gone, still_in, pending or unknown", "output": "the file or folder that was written",
	"path": "path as agents see it: /memories/a.md", "pending": "work that is not finished", "path_matches": "where the path matches, in bytes", "place": "a place in the trail", "places": "places in the trail that contain the text", "platform": "operating system and processor", "problem": "what is wrong", "problems": "what is wrong", "profile": "the tool that keeps the memories", "project": "the directory that the memories are about",
	"read_at": "when it was read", "read_by": "who read it", "reads": "number of reads", "reason": "why", "rebuilt": "the trail was rebuilt", "redacted": "the content was redacted", "redacted_at": "when it was redacted", "redacted_by": "who redacted it", "revision": "commit of the source", "rule": "the guard's rule; of a held change, the rule of the policy", "run": "a fragment of this many bytes would have been found",
	"same_content": "it has the whole content", "score": "how well it matches", "seq": "number of the event in its session", "service": "the service that deletes it too", "session_id": "the session it belongs to", "sessions": "number of sessions", "severity": "high, medium or low", "settings": "the settings; of an event, the agent's", "shared": "it applies to every project", "simulated": "the model is scripted", "since_number": "versions from this one on may have written it",
	"skipped": "what is left out, and why", "source": "default, file, environment or flag", "current": "it is in the current version of the memory", "start": "position of its beginning, in bytes", "stays": "a redaction can't erase it there", "stop_reason": "why the reply ended", "store": "name of the store", "stores": "the stores, or how many there are",
	"subject": "of an imported commit, the first paragraph of its message in one line, cut after 256 characters", "target": "where a link leads", "text": "a text; of a finding, what was found", "text_base64": "the text, where it is not UTF-8", "then": "the memory as it will be", "title": "of a store, its name in the memory-stores API; of an actor, the display name that its client sent", "to_path": "the path after a rename", "token": "the secret", "tokens_estimated": "tokens, as estimated", "too_short": "texts too short to search for fragments of them",
	"tool": "name of the tool", "tool_use_id": "the tool call it belongs to", "turn": "number of the turn in its session", "type": "of an actor: person, agent, api_key or outside; of an event: what it is", "undoes": "the change that it undoes", "undone_by": "the change that undid it", "undone_changes": "changes of it that were undone", "unified": "the difference as a patch", "unknown": "what could not be determined, and why", "unreviewed": "memories that others changed or deleted since the last review; absent: none has begun", "unsaved_texts": "unsaved texts", "unreadable": "contents that could not be read",
	"updated_at": "when it was changed last", "updated_by": "who changed it last", "upstream": "the hosted store that it is a replica of", "upstream_error": "why the service has not erased them", "upstream_gone": "versions that the service no longer had", "upstream_left": "versions redacted here that the service has yet to erase", "upstream_redacted": "versions that the service erased", "url": "the API's address", "usage": "tokens that were used", "value": "the value in force", "version": "memend's version", "versions": "number of versions", "versions_new": "versions that were not here", "versions_redacted": "versions erased there", "versions_there": "versions that the service lists", "view_chars": "maximum number of characters of a view",
	"act": "number of the last act: what happened to a change later, a policy, a pin or a decision", "acts": "number of acts", "acts_hash": "hash of the chain after that act", "hash": "hash of the chain after that change", "head": "the line for check --since", "since": "what came after the given head",
	"policy": "name of its policy, or own rules", "waiting_for_review": "changes that wait for a person, with those that other tools hold back", "wait_ms": "milliseconds until the retry", "why": "why it can't be read; of a finding, what it means", "windows": "fragments that were looked for", "windows_found": "of these, those found",
}

const schemaIntro = `With --json a command prints JSON, one object per line. A fact has the same name
in every object: that of the memory-stores API, if it has one.

  - What has no value is absent; no field is null. A flag that is absent is
    false, a list that is absent is empty.
  - A time is RFC 3339 in UTC with six digits: 2026-11-20T18:05:00.000000Z.
  - "id" is the object's own; those of others are memory_id, memory_version_id,
    memory_store_id, session_id, tool_use_id.
  - created_by, updated_by, read_by and redacted_by are objects with type and
    name; with title where an agent's client sent one.
  - New fields may be added; what a field means does not change.
`

func (p *program) schemaCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "json", Short: "What --json prints"}
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		c.Long = schemaText() // not at each start: it is half of all that the commands allocate
		c.Parent().HelpFunc()(c, args)
	})
	return cmd
}

// schemaText returns the schema for the help.
func schemaText() string {
	var b strings.Builder
	b.WriteString(schemaIntro + "\nObjects, the commands that print them, and their fields:\n")
	for _, o := range objects {
		fmt.Fprintf(&b, "\n%s (%s)\n", o.name, o.commands)
		wrapped(&b, "  ", strings.Join(fieldsOf(o.of), " "))
	}
	b.WriteString("\nFields:\n\n")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&b, "%s\n", name)
		wrapped(&b, "    ", fields[name])
	}
	return strings.TrimRight(b.String(), "\n")
}

// wrapped writes words in lines of at most 80 columns.
func wrapped(b *strings.Builder, indent, words string) {
	line := indent
	for i, word := range strings.Fields(words) {
		if i > 0 && len(line)+1+len(word) > 80 {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}

// fieldsOf returns the names of the fields of an object, in order.
func fieldsOf(v any) []string {
	var out []string
	eachField(reflect.TypeOf(v), func(name string, f reflect.StructField) {
		if f.Name != "NoTime" && f.Name != "NoActor" && f.Name != "NoFrom" {
			out = append(out, name)
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// eachField calls do for each JSON field of a struct, except fields of embedded structs
// that are hidden by another.
func eachField(t reflect.Type, do func(name string, f reflect.StructField)) {
	hides := map[string]int{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		if depth, known := hides[name]; known && len(f.Index) > depth {
			continue
		}
		hides[name] = len(f.Index)
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if depth, known := hides[name]; known && len(f.Index) == depth {
			do(name, f)
		}
	}
}

// deletionJSON describes what deleting a store would erase.
type deletionJSON struct {
	Store         string `json:"memory_store_id"`
	Name          string `json:"name"`
	Changes       int64  `json:"changes"`
	Memories      int    `json:"memories"`
	Folder        string `json:"folder"`
	FolderRemoved bool   `json:"folder_removed"`
	Service       string `json:"service,omitempty"`
}

// backupJSON is a backup of a home.
type backupJSON struct {
	Backup    string   `json:"backup"`
	Stores    int      `json:"stores"`
	Versions  int64    `json:"versions"`
	Files     int      `json:"files"`
	Elsewhere []string `json:"folders_not_copied"`
	Damaged   []string `json:"damaged"`
}

func backupOf(to string, b versions.Backup) backupJSON {
	return backupJSON{to, b.Stores, b.Versions, b.Files, append([]string{}, b.Elsewhere...), append([]string{}, b.Damaged...)}
}

// exportedJSON describes what was exported: changes of a history, or memories as files.
type exportedJSON struct {
	Changes  int    `json:"changes,omitempty"`
	Memories int    `json:"memories,omitempty"`
	Output   string `json:"output"`
}
