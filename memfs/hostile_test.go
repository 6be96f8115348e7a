//go:build unix

package memfs

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var swapTime = flag.Duration("swap.time", 300*time.Millisecond, "how long links are swapped in beside commands")

// in marshals a command's input.
func in(t testing.TB, fields map[string]any) []byte {
	t.Helper()
	raw, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestSpecialFilesNeitherHangNorShow(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "x")
	if err := syscall.Mkfifo(d.host("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("unix", d.host("sock")); err == nil {
		defer l.Close()
	}
	link(t, d, "to-pipe", "pipe")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range []string{"pipe", "sock", "to-pipe"} {
			p := "/memories/" + name
			for _, input := range []map[string]any{
				{"command": "view", "path": p},
				{"command": "create", "path": p, "file_text": "x"},
				{"command": "str_replace", "path": p, "old_str": "a", "new_str": "b"},
				{"command": "insert", "path": p, "insert_line": 0, "insert_text": "x"},
				{"command": "view", "path": p + "/below"},
			} {
				if got := d.run(in(t, input)); !got.IsError {
					t.Errorf("%v: %q", input, got.Text)
				}
			}
		}
		_, _, err := d.Read(at(t, "pipe"), 0)
		wantErr(t, err, ErrNotRegular)
		_, err = d.Open(at(t, "to-pipe"))
		wantErr(t, err, ErrNotRegular)
		kinds := map[string]Kind{}
		if err := d.Scan(context.Background(), func(f Found) error { kinds[f.Name] = f.Kind; return f.Err }); err != nil {
			t.Error(err)
		}
		if kinds["pipe"] != Special || kinds["to-pipe"] != Link || kinds["a.md"] != File {
			t.Errorf("the scan found %v", kinds)
		}
		for _, name := range []string{"to-pipe", "pipe"} {
			if got := d.run(in(t, map[string]any{"command": "delete", "path": "/memories/" + name})); got.IsError {
				t.Errorf("delete %s: %s", name, got.Text)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("a command waits for a special file")
	}
}

func TestNamesOf255BytesWork(t *testing.T) {
	d := newDir(t)
	name := strings.Repeat("é", 127) + "x"
	p := "/memories/" + name
	for _, input := range []map[string]any{
		{"command": "create", "path": p, "file_text": "one"},
		{"command": "str_replace", "path": p, "old_str": "one", "new_str": "two"},
		{"command": "insert", "path": p, "insert_line": 1, "insert_text": "three"},
		{"command": "rename", "old_path": p, "new_path": "/memories/" + name[:252] + "xyz"},
	} {
		if got := d.run(in(t, input)); got.IsError {
			t.Fatalf("%v: %s", input["command"], got.Text)
		}
	}
	if got := d.run(in(t, map[string]any{"command": "create", "path": p + "z", "file_text": ""})); !got.IsError {
		t.Error("a name of 256 bytes was taken")
	}
}

func TestFolderWithAnInvalidNameIsNotHalfDeleted(t *testing.T) {
	d := newDir(t)
	put(t, d, "d/a.md", "x")
	put(t, d, "d/z/bad\nname", "x")
	got := d.run([]byte(`{"command":"delete","path":"/memories/d"}`))
	if !got.IsError || !strings.Contains(got.Text, ErrName.Error()) {
		t.Errorf("answer is %+v", got)
	}
	if _, err := os.Stat(d.host("d/a.md")); err != nil {
		t.Error(err)
	}
}

// While commands run, another process turns a folder into a link out and back,
// as fast as it can. Nothing outside may be read or written.
// README: "nothing outside the store's folder is read or written, whatever path or link is tried".
func TestSwappedInLinkNeverEscapesTheFolder(t *testing.T) {
	d := newDir(t)
	put(t, d, "real/canary", "inside")
	put(t, d, "file", "inside")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	flip := func(name string, restore func()) {
		defer wg.Done()
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.RemoveAll(d.host(name))
			os.Symlink("..", d.host(name))
			os.Remove(d.host(name))
			restore()
		}
	}
	wg.Add(2)
	go flip("sub", func() {
		os.Mkdir(d.host("sub"), 0o755)
		os.WriteFile(d.host("sub/canary"), []byte("inside"), 0o644)
	})
	go flip("leaf", func() { os.WriteFile(d.host("leaf"), []byte("inside"), 0o644) })
	inputs := [][]byte{
		in(t, map[string]any{"command": "view", "path": "/memories/sub/canary"}),
		in(t, map[string]any{"command": "view", "path": "/memories/sub"}),
		in(t, map[string]any{"command": "view", "path": "/memories/leaf/canary"}),
		in(t, map[string]any{"command": "view", "path": "/memories"}),
		in(t, map[string]any{"command": "str_replace", "path": "/memories/sub/canary", "old_str": "CANARY", "new_str": "EATEN"}),
		in(t, map[string]any{"command": "str_replace", "path": "/memories/sub/canary", "old_str": "inside", "new_str": "EATEN"}),
		in(t, map[string]any{"command": "create", "path": "/memories/sub/escaped", "file_text": "x"}),
		in(t, map[string]any{"command": "insert", "path": "/memories/sub/canary", "insert_line": 0, "insert_text": "EATEN"}),
		in(t, map[string]any{"command": "delete", "path": "/memories/sub/canary"}),
		in(t, map[string]any{"command": "delete", "path": "/memories/sub"}),
		in(t, map[string]any{"command": "rename", "old_path": "/memories/sub/canary", "new_path": "/memories/real/stolen"}),
		in(t, map[string]any{"command": "rename", "old_path": "/memories/file", "new_path": "/memories/sub/escaped"}),
	}
	rounds, answers := 0, map[bool]int{}
	for end := time.Now().Add(*swapTime); time.Now().Before(end); rounds++ {
		for _, input := range inputs {
			got := d.run(input)
			answers[got.IsError]++
			if strings.Contains(got.Text, canary) {
				t.Fatalf("%s read the canary: %q", input, got.Text)
			}
			noHostPath(t, d, got.Text)
		}
		content, _, _ := d.Read(at(t, "sub/canary"), 0)
		if strings.Contains(string(content), canary) {
			t.Fatal("Read gave the canary")
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("%d rounds: %d answers, %d errors", rounds, answers[false], answers[true])
	if answers[false] == 0 || answers[true] == 0 {
		t.Error("the race was not on: all commands went one way")
	}
	checkCanary(t, d)
	outside, err := os.ReadDir(d.host(".."))
	if err != nil || len(outside) != 2 {
		t.Errorf("beside the canary and the store there is %v, %v", outside, err)
	}
}

// os.Root follows a link that stays inside even if it came between the look and
// the opening; Read must not, or one memory's bytes would be taken for another's.
func TestReadNeverReturnsTheTargetOfASwappedInLink(t *testing.T) {
	d := newDir(t)
	put(t, d, "other", "other")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.WriteFile(d.host("file"), []byte("leaf!"), 0o644)
			os.Rename(d.host("file"), d.host("leaf"))
			os.Symlink("other", d.host("link"))
			os.Rename(d.host("link"), d.host("leaf"))
		}
	})
	for end := time.Now().Add(*swapTime); time.Now().Before(end); {
		if content, _, err := d.Read(at(t, "leaf"), 0); err == nil && string(content) == "other" {
			t.Error("Read gave what a link leads to")
			break
		}
	}
	close(stop)
	wg.Wait()
}

// Another program writes in place between the bytes and the second look, with
// the same size and the same mtime, as restored by tools that keep times.
func TestReadReturnsOnlyStableStates(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "old!")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(d.host("a.md"), long, long); err != nil {
		t.Fatal(err)
	}
	writes := 2
	d.Hook = func(step string, p Path) error {
		if writes > 0 {
			writes--
			put(t, d, "a.md", fmt.Sprintf("new%d", writes))
			return os.Chtimes(d.host("a.md"), long, long)
		}
		return nil
	}
	if got, _, err := d.Read(at(t, "a.md"), 0); string(got) != "new0" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	writes = 1000
	_, _, err := d.Read(at(t, "a.md"), 0)
	wantErr(t, err, ErrUnstable)
	grow := sync.OnceFunc(func() { put(t, d, "a.md", "longer than before") })
	d.Hook = func(step string, p Path) error { grow(); return nil }
	put(t, d, "a.md", "short")
	if got, _, err := d.Read(at(t, "a.md"), 0); string(got) != "longer than before" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}
