package conversations

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions/ids"
)

func newHome(t *testing.T) *Folder { return New(t.TempDir(), func(f func()) { go f() }) }

func begin(t *testing.T, all *Folder, id ids.Session) *Conversation {
	t.Helper()
	c, err := all.Begin(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func said(t *testing.T, c *Conversation, objects ...any) {
	t.Helper()
	for _, o := range objects {
		b, err := json.Marshal(o)
		if err == nil {
			err = c.Append(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestConversation_IsReadForwardsAndBackwardsInPages(t *testing.T) {
	t.Parallel()
	all := newHome(t)
	id := ids.NewSession()
	c := begin(t, all, id)
	const n = 3000
	for i := range n {
		size := 50 + i%500
		if i == 1500 {
			size = 3 * pageBytes // longer than a page
		}
		said(t, c, map[string]any{"n": i, "text": strings.Repeat("x", size)})
	}
	var forwards, backwards []int
	number := func(b []byte) int {
		var o struct{ N int }
		if err := json.Unmarshal(b, &o); err != nil {
			t.Fatal(err)
		}
		return o.N
	}
	for at := int64(0); ; {
		objects, next, err := all.Read(id, at)
		if err != nil {
			t.Fatal(err)
		}
		if next == at {
			break
		}
		for _, o := range objects {
			forwards = append(forwards, number(o))
		}
		at = next
	}
	for at := int64(-1); at != 0; {
		objects, start, err := all.ReadBack(id, at)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(objects) - 1; i >= 0; i-- {
			backwards = append(backwards, number(objects[i]))
		}
		at = start
	}
	for i := range n {
		if len(forwards) != n || len(backwards) != n || forwards[i] != i || backwards[i] != n-1-i {
			t.Fatalf("%d forwards, %d backwards; at %d", len(forwards), len(backwards), i)
		}
	}
}

func TestConversation_OfAProgramThatRunsIsToldFromOneThatWasKilled(t *testing.T) {
	t.Parallel()
	all := newHome(t)
	id := ids.NewSession()
	c := begin(t, all, id)
	said(t, c, map[string]int{"n": 1})
	if info, err := all.Info(id); err != nil || !info.Running {
		t.Fatalf("%+v, %v", info, err)
	}
	if _, err := all.Begin(id); !errors.Is(err, ErrRunning) {
		t.Errorf("begun twice: %v", err)
	}
	if err := all.Delete(id); !errors.Is(err, ErrRunning) {
		t.Errorf("deleted while it runs: %v", err)
	}
	if _, err := c.file.WriteString(`{"n": 2, "half`); err != nil { // and killed
		t.Fatal(err)
	}
	_ = c.file.Close()
	_ = c.lock.Close()
	if info, err := all.Info(id); err != nil || info.Running {
		t.Fatalf("after its death %+v, %v", info, err)
	}

	again := begin(t, all, id)
	said(t, again, map[string]int{"n": 3})
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	objects, _, err := all.Read(id, 0)
	if err != nil || len(objects) != 2 || string(objects[0]) != `{"n":1}` || string(objects[1]) != `{"n":3}` {
		t.Errorf("%q, %v", objects, err)
	}
	if list, err := all.List(); err != nil || len(list) != 1 || list[0].Running || list[0].Session != id {
		t.Errorf("%+v, %v", list, err)
	}
	if err := all.Delete(id); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(all.dir); err != nil || len(entries) != 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
}

func TestConversation_IsKeptOfSessionsWithIdsOfOursOnly(t *testing.T) {
	t.Parallel()
	all := newHome(t)
	for _, id := range []ids.Session{"", "run-42", "../../x", ids.Session("sesn_" + strings.Repeat("/", 20))} {
		if _, err := all.Begin(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	c := begin(t, all, ids.NewSession())
	if err := c.Append([]byte("{\n}")); err == nil {
		t.Errorf("two lines: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestConversations_TellWhoseGrows(t *testing.T) {
	t.Parallel()
	all := newHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	grown := all.Watch(ctx)
	if _, err := os.Stat(all.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("to watch makes the folder: %v", err)
	}
	id := ids.NewSession()
	c := begin(t, all, id)
	said(t, c, map[string]int{"n": 1})
	if got := <-grown; got != id && got != "" {
		t.Errorf("%q", got)
	}
	for range 2 { // of those that come when the folder is there, too
		id = ids.NewSession()
		other := begin(t, all, id)
		said(t, other, map[string]int{"n": 1})
		for got := range grown {
			if got == id {
				break
			}
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := ctx.Err(); err != nil {
		t.Fatalf("nobody told of it: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	for range grown { // it is closed
	}
}
