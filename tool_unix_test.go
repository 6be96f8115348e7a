//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/memtrail/memtrail/memfs/conformance"
	"github.com/memtrail/memtrail/ui/cli"
)

// Every case of the memory tool, through the program, its engine and its trail;
// each step in a run of its own.
func TestToolBehavesAsTheCasesSay(t *testing.T) {
	conformance.Run(t, "memfs/testdata/memory-tool-cases.json", func(t *testing.T, folder string) conformance.Answer {
		home := t.TempDir()
		t.Cleanup(func() {
			out := memtrail(t, "", "--home", home, "-s", folder, "check")
			if !strings.HasSuffix(out, "is whole\n") {
				t.Errorf("check says %q", out)
			}
		})
		return func(t *testing.T, input []byte) (string, bool) {
			var line bytes.Buffer
			if err := json.Compact(&line, input); err != nil {
				t.Fatal(err)
			}
			var answer struct {
				Content string `json:"content"`
				IsError bool   `json:"is_error"`
			}
			out := memtrail(t, line.String(), "--home", home, "-s", folder, "tool")
			if err := json.Unmarshal([]byte(out), &answer); err != nil {
				t.Fatalf("%q: %v", out, err)
			}
			return answer.Content, answer.IsError
		}
	})
}

func memtrail(t *testing.T, in string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Run(args, strings.NewReader(in), &out, &errs); code != 0 {
		t.Fatalf("memtrail %s: ended with %d: %s%s", strings.Join(args, " "), code, out.String(), errs.String())
	}
	return out.String()
}
