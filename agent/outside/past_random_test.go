package outside

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

var (
	pastRounds = flag.Int("past.rounds", 40, "how many random transcripts are rebuilt")
	pastSeed   = flag.Uint64("past.seed", 1, "seed of the random transcripts")
)

// A version that is rebuilt from a transcript has the call that wrote its text, or none: whatever ran before it, after it
// and at the same time, and however close.
func TestPast_OfRandomTranscriptsTheCallIsTheOneThatWroteTheText(t *testing.T) {
	t.Parallel()
	named := 0
	for round := range uint64(*pastRounds) {
		named += randomPast(t, rand.New(rand.NewPCG(*pastSeed, round)))
		if t.Failed() {
			t.Fatalf("-past.seed %d, round %d", *pastSeed, round)
		}
	}
	if named < 2**pastRounds {
		t.Errorf("only %d versions have a call", named)
	}
}

func randomPast(t *testing.T, r *rand.Rand) (named int) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &pastRun{t: t, config: filepath.Join(top, ".claude")}
	project := filepath.Join(p.config, "projects", "-w")
	p.memory = filepath.Join(project, "memory")
	if err := os.MkdirAll(p.memory, 0o755); err != nil {
		t.Fatal(err)
	}
	type line struct {
		at   time.Time
		text string
	}
	var lines []line
	wrote := map[string]string{} // the text by call and file
	held := map[string]string{}
	changed := map[string]time.Time{}
	free := time.Now().Add(-time.Hour) // when the last call ended
	last := free                       // when the last command began
	short := func() time.Duration {
		return []time.Duration{0, time.Millisecond, 10 * time.Millisecond, 40 * time.Millisecond, 70 * time.Millisecond, time.Second}[r.IntN(6)]
	}
	names := []string{"a.md", "b.md"}
	for n := range 3 + r.IntN(8) {
		call := fmt.Sprintf("toolu_%d", n)
		kind := r.IntN(6)
		began := free.Add(short())
		if kind > 1 && r.IntN(4) == 0 { // at the same time as the command before
			began = began.Add(-free.Sub(last))
		}
		ended := began.Add(time.Millisecond + short())
		if ended.After(free) {
			free = ended
		}
		if last = began; kind < 2 {
			last = free
		}
		at := began.Add(time.Duration(r.Int64N(int64(ended.Sub(began)))))
		name := names[r.IntN(len(names))]
		file := filepath.Join(p.memory, name)
		text := fmt.Sprintf("text %d\n", n)
		tool, input, result := "Bash", map[string]any{}, "null"
		writes := true
		switch kind {
		case 0: // with all that Claude Code tells
			tool, input = "Write", map[string]any{"file_path": file, "content": text}
			how, original := "create", "null"
			if was, ok := held[name]; ok {
				b, _ := json.Marshal(was)
				how, original = "update", string(b)
			}
			result = fmt.Sprintf(`{"type":%q,"filePath":%q,"content":%q,"structuredPatch":[],"originalFile":%s}`, how, file, text, original)
		case 1: // an older one that tells nothing
			tool, input, result = "Write", map[string]any{"file_path": file, "content": text}, `"done"`
		case 2:
			input["command"] = "printf '" + strings.TrimSpace(text) + "\\n' > " + file
		case 3:
			input["command"] = "cd " + p.memory + " && ./gen.sh " + name
		case 4:
			input["command"], writes = "cat "+file, false
		case 5:
			tool, input, writes = "Read", map[string]any{"file_path": file}, false
		}
		if writes && !at.Before(changed[name]) { // else the file has the text of the later one
			changed[name] = at
			held[name] = text
		}
		if writes {
			wrote[call+" "+name] = text
		}
		args, _ := json.Marshal(input)
		lines = append(lines, line{began, fmt.Sprintf(`{"type":"assistant","sessionId":%q,"cwd":"/w","timestamp":%q,"message":{"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}}`, realSession, began.UTC().Format(time.RFC3339Nano), call, tool, args)},
			line{ended, fmt.Sprintf(`{"type":"user","sessionId":%q,"cwd":"/w","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":"done"}]},"toolUseResult":%s}`, realSession, ended.UTC().Format(time.RFC3339Nano), call, result)})
	}
	var transcript strings.Builder
	for _, l := range lines {
		transcript.WriteString(l.text + "\n")
	}
	if err := os.WriteFile(filepath.Join(project, realSession+".jsonl"), []byte(transcript.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var asked []versions.Unexplained
	for name, text := range held { // the time of a change of a file can't be set, so that no scan looks at them
		path, _ := memfs.ParsePath(name)
		asked = append(asked, versions.Unexplained{Path: path, Holds: func() ([]byte, time.Time) { return []byte(text), changed[name] }})
	}
	found, err := Past{Config: p.config}.Texts(t.Context(), versions.StoreInfo{ID: "s", Folder: p.memory}, asked, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		if v.By.ToolUse == "" {
			continue
		}
		name := strings.TrimPrefix(v.Path.String(), "/")
		if named++; wrote[v.By.ToolUse+" "+name] != string(v.Text) {
			t.Errorf("%s with %q has %s, which wrote %q\n%s", name, v.Text, v.By.ToolUse, wrote[v.By.ToolUse+" "+name], transcript.String())
		}
	}
	return named
}
