package mcp

import (
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/review"
)

// What the policy of a store holds or denies is a refusal of each tool that writes, and says what happens next.
func TestAHeldWriteIsARefusalOfEachTool(t *testing.T) {
	t.Parallel()
	mira := versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "mira"}}
	calls := map[string]map[string]args{
		"six": {
			"memory_write":  {"path": "/memories/new.md", "content": "x"},
			"memory_edit":   {"path": "/memories/a.md", "old_str": "one", "new_str": "two"},
			"memory_delete": {"path": "/memories/a.md"},
		},
		"one": {"memory": {"command": "create", "path": "/memories/new.md", "file_text": "x"}},
	}
	for tools, each := range calls {
		for tool, in := range each {
			t.Run(tool, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, func(o *Options) {
					if tools == "one" {
						o.Tools = MemoryTool
					}
				})
				w.write("a.md", "one\n")
				c := w.connect("held", nil)
				for rules, want := range map[string]string{"hold actor:agent": "held for review as #", "deny actor:agent": "denied: line 1 of the store's policy"} {
					if err := review.SetPolicy(t.Context(), w.store, mira, "", rules); err != nil {
						t.Fatal(err)
					}
					if text, isError := c.call(tool, in); !isError || !strings.Contains(text, want) || strings.Contains(text, w.store.Info().Folder) {
						t.Errorf("%s: %v, %q", rules, isError, text)
					}
				}
				held, err := review.Held(t.Context(), w.store, versions.HeldFilter{})
				if err != nil || len(held) != 1 || held[0].By.Door != versions.DoorMCP || held[0].By.ToolUse == "" {
					t.Errorf("%+v, %v", held, err)
				}
			})
		}
	}
}
