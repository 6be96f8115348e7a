package cli

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
)

// This file describes what --json prints. A fact has the same name in every object. The
// help is generated from this table and from help/fields.txt, and tests compare them with the commands' output.

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
	{"hunk", "review keep", hunkJSON{}},
	{"digest", "review --since", digestJSON{}},
	{"held change", "review, review show, review accept, review reject", heldJSON{}},
	{"policy", "policy show, and each of its commands", policyJSON{}},
	{"pin", "pin", pinJSON{}},
	{"redaction", "redact --dry-run", redactionJSON{}},
	{"receipt", "redact, also alone or with --verify; stores delete, stores disconnect", receiptJSON{}},
	{"status", "status", statusJSON{}},
	{"space", "ls --sizes", usageJSON{}},
	{"store", "stores, and each of its commands that makes or changes one", storeJSON{}},
	{"deletion", "stores delete --dry-run", deletionJSON{}},
	{"place", "stores discover", foundJSON{}},
	{"hosted store", "stores connect", hostedJSON{}},
	{"mirror", "stores mirror", mirroredJSON{}},
	{"sync", "sync", syncJSON{}},
	{"import", "import", importedJSON{}},
	{"export", "export", exportedJSON{}},
	{"backup", "backup", backupJSON{}},
	{"restored backup", "backup --restore", restoredJSON{}},
	{"check", "check", checkJSON{}},
	{"log head", "check --head", logHeadJSON{}},
	{"repair", "check --repair", repairedJSON{}},
	{"findings", "guard; an object for each text, or one without a finding", findingsJSON{}},
	{"token", "tokens, and each of its commands", tokenJSON{}},
	{"settings", "config, config init, config check without a problem", configJSON{}},
	{"problem", "config check", problemJSON{}},
	{"theme", "config themes", themeJSON{}},
	{"key", "help keys", keyJSON{}},
	{"release", "version", releaseJSON{}},
	{"setup", "setup CLIENT", setupJSON{}},
	{"client", "setup", clientJSON{}},
	{"finding", "doctor", finding{}},
}

// jsonFields returns the description of each field.
func jsonFields() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(helpText("fields")) {
		name, about, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		out[name] = about
	}
	return out
}

func schemaCommand(p *console) *cobra.Command {
	return &cobra.Command{
		Use:         "json",
		Annotations: map[string]string{pages: "", noJSON: always},
		Short:       "Describe what --json prints",
		RunE: func(cmd *cobra.Command, _ []string) error {
			addHelp(cmd)
			p.println("%s", schemaText(cmd.Long))
			return nil
		},
	}
}

// schemaText returns the schema below its introduction.
func schemaText(intro string) string {
	var b strings.Builder
	b.WriteString(intro + "\n\nObjects, the commands that print them, and their fields:\n")
	for _, o := range objects {
		fmt.Fprintf(&b, "\n%s (%s)\n", o.name, o.commands)
		wrapped(&b, "  ", strings.Join(fieldsOf(o.of), " "))
	}
	b.WriteString("\nFields:\n\n")
	fields := jsonFields()
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
	Name string `json:"backup"`
	versions.Backup
}

// restoredJSON is a backup that was restored to a home.
type restoredJSON struct {
	Backup string `json:"backup"`
	Home   string `json:"home"`
}

// exportedJSON describes what was exported: changes of a history, or memories as files.
type exportedJSON struct {
	Changes  int    `json:"changes,omitempty"`
	Memories int    `json:"memories,omitempty"`
	Output   string `json:"output"`
}
