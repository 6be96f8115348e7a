//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/agent/testdata/npmtest"
)

// handlerCalls are an agent's calls of the memory tool, and whether each one fails.
var handlerCalls = []struct {
	call  string
	fails bool
}{
	{`{"command":"create","path":"/memories/tea.md","file_text":"Dana drinks tea.\n“☃” 🦀\n"}`, false},
	{`{"command":"view","path":"/memories/tea.md","view_range":[2,2]}`, false},
	{`{"command":"str_replace","path":"/memories/tea.md","old_str":"tea","new_str":"green tea"}`, false},
	{`{"command":"insert","path":"/memories/tea.md","insert_line":0,"insert_text":"# Tea\n"}`, false},
	{`{"command":"view","path":"/memories/none.md"}`, true},
	{`{"command":"rename","old_path":"/memories/tea.md","new_path":"/memories/drinks/tea.md"}`, false},
	{`{"command":"view","path":"/memories/drinks/tea.md"}`, false},
	{`{"command":"delete","path":"/memories/drinks"}`, false},
}

// Each handler runs an agent's calls through the memory tool of its SDK, and the model
// receives the results of `memend tool`.
func TestHandlersOfTheSDKsRunTheCommandsOfAnAgent(t *testing.T) {
	t.Parallel()
	for language, prepare := range map[string]func(t *testing.T, dir string) *exec.Cmd{
		"python": preparePython, "typescript": prepareTypeScript, "java": prepareJava,
	} {
		t.Run(language, func(t *testing.T) {
			dir := t.TempDir()
			self := "#!/bin/sh\n" + runAsProgram + "=1 MEMEND_CONFIG=" + os.DevNull + " exec '" + os.Args[0] + "' \"$@\"\n"
			must(t, os.WriteFile(filepath.Join(dir, "memend"), []byte(self), 0o700))
			run := func(in string, args ...string) string {
				t.Helper()
				cmd := exec.Command(filepath.Join(dir, "memend"), args...)
				cmd.Stdin, cmd.Stderr = strings.NewReader(in), os.Stderr
				out, err := cmd.Output()
				must(t, err)
				return string(out)
			}
			home := func(name string) []string {
				return []string{"--home", filepath.Join(dir, name), "--store", filepath.Join(dir, name+"-notes") + "/"}
			}
			must(t, os.Mkdir(filepath.Join(dir, "ours-notes"), 0o700))
			must(t, os.Mkdir(filepath.Join(dir, "theirs-notes"), 0o700))
			var calls []string
			for _, c := range handlerCalls {
				calls = append(calls, c.call)
			}
			want := run(strings.Join(calls, "\n")+"\n", append([]string{"tool"}, home("ours")...)...)

			cmd := prepare(t, dir)
			cmd.Args = append(cmd.Args, append(home("theirs"), "--session", "run-42", "--actor", "agent:mine")...)
			cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(calls, "\n")+"\n"), os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			ours, theirs := strings.Split(strings.TrimSpace(want), "\n"), strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(theirs) != len(handlerCalls) || len(ours) != len(handlerCalls) {
				t.Fatalf("%d answers:\n%s", len(theirs), out)
			}
			for i, c := range handlerCalls {
				var a, b toolResultJSON
				must(t, json.Unmarshal([]byte(ours[i]), &a))
				must(t, json.Unmarshal([]byte(theirs[i]), &b))
				if a.Content != b.Content || a.IsError != c.fails || b.IsError != (c.fails && language != "java") { // Java's handlers return only texts
					t.Errorf("%s\n%+v, want %+v", c.call, b, a)
				}
			}
			log := run("", append([]string{"log", "--json", "--session", "run-42"}, home("theirs")...)...)
			if n := strings.Count(log, `"run-42"`); n < 5 || !bytes.Contains([]byte(log), []byte(`"mine"`)) {
				t.Errorf("the history of the session:\n%s", log)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// handlerInto writes a handler, and the program that calls it, to a folder.
func handlerInto(t *testing.T, dir, language, harness string) {
	t.Helper()
	source, err := handlerFiles.ReadFile("handlers/" + handlers[language])
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, handlers[language]), source, 0o600))
	b, err := os.ReadFile(filepath.Join("testdata", "handlers", harness))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, harness), b, 0o600))
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s here", name)
		}
	}
}

// preparePython uses the SDK if it is installed, or else a module of the same form.
func preparePython(t *testing.T, dir string) *exec.Cmd {
	needs(t, "python3")
	handlerInto(t, dir, "python", "call.py")
	if exec.Command("python3", "-c", "from anthropic.lib.tools import BetaAbstractMemoryTool").Run() != nil {
		must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "handlers", "python"))))
	}
	return exec.Command("python3", filepath.Join(dir, "call.py"))
}

func prepareTypeScript(t *testing.T, dir string) *exec.Cmd {
	sdk := npmtest.SDK.Folder(t)
	compiler := npmtest.TypeScript.Folder(t)
	handlerInto(t, dir, "typescript", "call.mjs")
	must(t, os.Symlink(filepath.Dir(filepath.Dir(sdk)), filepath.Join(dir, "node_modules")))
	tsc := exec.Command("node", filepath.Join(compiler, "bin", "tsc"), "--noCheck", "--module", "nodenext", "--target", "es2022", "--outDir", dir, filepath.Join(dir, handlers["typescript"]))
	must(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o600))
	if out, err := tsc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exec.Command("node", filepath.Join(dir, "call.mjs"))
}

// prepareJava replaces the SDK by an interface; its JSON library is the one that the SDK
// includes.
func prepareJava(t *testing.T, dir string) *exec.Cmd {
	needs(t, "java", "javac")
	jars, err := filepath.Glob("/usr/share/java/jackson-*[a-z].jar")
	must(t, err)
	if len(jars) == 0 {
		t.Skip("no jackson-databind here")
	}
	handlerInto(t, dir, "java", "Call.java")
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "handlers", "java"))))
	path := strings.Join(append(jars, dir), string(os.PathListSeparator))
	javac := exec.Command("javac", "-cp", path, "-d", dir, filepath.Join(dir, "Call.java"), filepath.Join(dir, handlers["java"]), filepath.Join(dir, "com", "anthropic", "helpers", "BetaMemoryToolHandler.java"))
	if out, err := javac.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exec.Command("java", "-cp", path, "Call")
}
