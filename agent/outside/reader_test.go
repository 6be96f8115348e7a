package outside

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// npmCache names a folder in which npm packages of tests stay between runs.
const npmCache = "MEMTRAIL_TEST_NPM"

// agentSDK is the folder of the official agent SDK, or skips the test and says why.
func agentSDK(t *testing.T) string {
	t.Helper()
	const name, version = "@anthropic-ai/claude-agent-sdk", "0.3.328"
	if testing.Short() {
		t.Skip("-short: the official reader is not asked")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here: the official reader is not asked", program)
		}
	}
	dir := os.Getenv(npmCache)
	if dir == "" {
		dir = t.TempDir()
	}
	dir = filepath.Join(dir, "anthropic-ai-claude-agent-sdk-"+version)
	folder := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
	if _, err := os.Stat(filepath.Join(folder, "package.json")); err == nil {
		return folder
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	// Its optional packages are binaries of Claude Code, which reading does without.
	npm := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--omit=optional", "--prefix", dir, name+"@"+version)
	npm.Dir, npm.WaitDelay = dir, time.Second
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm can't get %s@%s, so the official reader is not asked: %v\n%s", name, version, err, out)
	}
	return folder
}

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
	sdk := agentSDK(t)
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
