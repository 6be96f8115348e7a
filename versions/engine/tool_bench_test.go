//go:build unix

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
)

// BenchmarkTool times the commands of the memory tool through the engine, each
// journaled and durable: the rows, names, sizes and resets of
// testdata/bench-ts.mjs, which times the official TypeScript handler.
//
// Where $MEMEND_TS_SDK names a folder with that SDK (npm install
// @anthropic-ai/sdk) and Node is installed, the handler's row is run right after
// ours; times-ts is our throughput divided by its. It keeps no journal, syncs no
// names, and does not sync at all what it renames and deletes.
func BenchmarkTool(b *testing.B) {
	for _, r := range toolRows() {
		b.Run(r.name, func(b *testing.B) {
			s := benchStore(b)
			w := &bencher{b, s.Opened.Folder}
			if r.before != nil {
				r.before(w)
			}
			for i := 0; b.Loop(); i++ {
				if r.reset != nil {
					b.StopTimer()
					r.reset(w, i)
					b.StartTimer()
				}
				by := robot
				by.ToolUse = fmt.Sprint("toolu_", i) // the same call again would only be answered again
				res, _, err := s.Tool(context.Background(), by, r.call(i), memfs.Options{})
				if err != nil || res.IsError != r.wrong {
					b.Fatal(err, res.Text)
				}
			}
			b.StopTimer()
			compareWithTS(b, r.name)
		})
	}
}

type bencher struct {
	*testing.B
	folder string
}

// put writes as another program does.
func (w *bencher) put(path, text string) {
	host := filepath.Join(w.folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(host), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(host, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

type toolRow struct {
	name   string
	before func(*bencher)
	reset  func(*bencher, int) // before each call, untimed
	call   func(i int) memfs.Command
	wrong  bool
}

func toolRows() (rs []toolRow) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1000}, {"100KB", 100_000}} {
		rs = append(rs, textRows(size.name, benchText(size.bytes))...)
	}
	rs = append(rs, toolRow{name: "view missing file (error)", wrong: true,
		call: func(int) memfs.Command { return memfs.View{Path: "/memories/none.txt"} }})
	for _, shape := range []struct {
		name           string
		folders, files int
	}{
		{"view dir, 100 files flat", 1, 100}, {"view dir, 1000 files flat", 1, 1000},
		{"view dir, 10000 files flat", 1, 10_000}, {"view dir, 100 dirs x 100 files", 100, 100},
	} {
		rs = append(rs, toolRow{name: shape.name, before: func(w *bencher) {
			for i := range shape.folders * shape.files {
				w.put(fmt.Sprintf("tree/d%03d/f%d.md", i%shape.folders, i), strings.Repeat("x", i%3000))
			}
		}, call: func(int) memfs.Command {
			if shape.folders == 1 {
				return memfs.View{Path: "/memories/tree/d000"}
			}
			return memfs.View{Path: "/memories/tree"}
		}})
	}
	return rs
}

func textRows(size, body string) []toolRow {
	name := size + ".txt"
	p := "/memories/" + name
	there := func(w *bencher) { w.put(name, body) }
	return []toolRow{
		{name: "view " + size, before: there, call: func(int) memfs.Command { return memfs.View{Path: p} }},
		{name: "view " + size + " [10,20]", before: there, call: func(int) memfs.Command {
			return memfs.View{Path: p, Range: &[2]int64{10, 20}}
		}},
		{name: "create " + size, call: func(i int) memfs.Command {
			return memfs.Create{Path: fmt.Sprintf("/memories/new-%s/f%d.txt", size, i), FileText: body}
		}},
		{name: "str_replace " + size, before: there, call: func(i int) memfs.Command {
			mark := [2]string{"MARK_A", "MARK_B"}
			return memfs.StrReplace{Path: p, OldStr: mark[i%2], NewStr: mark[1-i%2]}
		}},
		{name: "insert " + size, before: there, reset: func(w *bencher, i int) {
			if i%10 == 0 { // so that the file stays near its size
				there(w)
			}
		}, call: func(int) memfs.Command { return memfs.Insert{Path: p, InsertLine: 5, InsertText: "an inserted line\n"} }},
		{name: "rename " + size, before: there, call: func(i int) memfs.Command {
			names := [2]string{p, p + ".b"}
			return memfs.Rename{OldPath: names[i%2], NewPath: names[1-i%2]}
		}},
		{name: "delete " + size, reset: func(w *bencher, i int) { w.put(fmt.Sprintf("del-%s/f%d.txt", size, i), body) },
			call: func(i int) memfs.Command {
				return memfs.Delete{Path: fmt.Sprintf("/memories/del-%s/f%d.txt", size, i)}
			}},
	}
}

// benchText is size bytes in lines of 40; the middle holds the one MARK_A.
func benchText(size int) string {
	var b strings.Builder
	for i := 1; b.Len() < size; i++ {
		line := fmt.Sprintf("line %06d lorem ipsum dolor sit am", i)
		b.WriteString(line[:min(39, len(line))] + "\n")
	}
	text := b.String()[:size-1] + "\n"
	return text[:size/2] + "MARK_A" + text[size/2+6:]
}

// compareWithTS runs the same row of the TypeScript handler, where it is installed.
func compareWithTS(b *testing.B, row string) {
	sdk := os.Getenv("MEMEND_TS_SDK")
	if sdk == "" {
		return
	}
	script, err := filepath.Abs("testdata/bench-ts.mjs")
	if err != nil {
		b.Fatal(err)
	}
	ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	cmd := exec.Command("node", script, "--json", "--ops", "300", "--only", "^"+regexp.QuoteMeta(row)+"$")
	cmd.Dir = sdk
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var ts struct {
		Rows []struct {
			PerSecond float64 `json:"ops_per_s"`
		}
	}
	if err := json.Unmarshal(out, &ts); err != nil || len(ts.Rows) != 1 {
		b.Fatalf("%v: %s", err, out)
	}
	b.ReportMetric(1e9/ts.Rows[0].PerSecond/ours, "times-ts")
}
