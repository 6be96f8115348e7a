package outside

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"unicode/utf16"

	"github.com/memend/memend/agent/testdata/npmtest"
)

// hashed is the slug with the hash of Node's runtime, which only the official reader
// needs.
func hashed(path string) string {
	slug, cut := slugOf(path)
	if !cut {
		return slug
	}
	var h int32
	for _, u := range utf16.Encode([]rune(path)) {
		h = h<<5 - h + int32(u)
	}
	return slug + "-" + strconv.FormatInt(int64(math.Abs(float64(h))), 36)
}

const listSessions = `
const sdk = await import(process.argv[1])
const out = {}
for (const dir of process.argv.slice(2)) out[dir] = (await sdk.listSessions({dir})).map(s => [s.sessionId, s.cwd ?? ""])
console.log(JSON.stringify(out))`

// The official reader finds by a directory what Projects finds it the directory of.
func TestProjects_AgreeWithTheOfficialReader(t *testing.T) {
	t.Parallel()
	sdk := npmtest.AgentSDK.Folder(t)
	config, work := t.TempDir(), t.TempDir()
	if real, err := filepath.EvalSymlinks(work); err == nil {
		work = real // the official reader looks a directory up by its real name
	}
	session := map[string]string{} // of a directory
	var dirs []string
	for i, rel := range []string{"app", "my.proj_1", "ü/☃🙂", "a b-c", strings.Repeat("long-name_ü/", 22) + "app"} {
		dir := filepath.Join(work, filepath.FromSlash(rel))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		id := "aaaaaaaa-aaaa-4aaa-8aaa-00000000000" + strconv.Itoa(i)
		write(t, `{"type":"mode","mode":"default","sessionId":"`+id+`"}`+"\n"+line(dir, id, "remember tabs"), config, "projects", hashed(dir), id+".jsonl")
		session[dir] = id
		dirs = append(dirs, dir)
	}
	node := exec.CommandContext(t.Context(), "node", append([]string{"--input-type=module", "-e", listSessions, filepath.Join(sdk, "sdk.mjs")}, dirs...)...)
	node.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+config, "HOME="+config, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	var read map[string][][2]string
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	projects, err := Projects(t.Context(), config)
	if err != nil || len(projects) != len(dirs) {
		t.Fatal(projects, err)
	}
	for _, p := range projects {
		sessions, err := Transcripts(p.Folder)
		if err != nil || len(sessions) != 1 || sessions[0].Session != session[p.Path] {
			t.Errorf("%s is %s: %v, %v", p.Folder, p.Path, sessions, err)
		}
		if got := read[p.Path]; len(got) != 1 || got[0] != [2]string{session[p.Path], p.Path} {
			t.Errorf("%s: the official reader has %q", p.Path, got)
		}
	}
}
