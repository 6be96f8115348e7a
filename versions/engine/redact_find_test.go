package engine_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

// What exports and backups in the home hold is found, packed and escaped as it may be;
// what can't be unpacked is said.
// README: "it searches the home and the folders, inside packed files too, and says gone, NOT gone with where, or unknown".
func TestARedactionFindsWhatIsPackedAndEscaped(t *testing.T) {
	t.Parallel()
	const secret = "say \"open\"\n\tand use C:\\keys, π and 🔑"
	quoted, err := json.Marshal(map[string]string{"content": "before " + secret + " after"})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(map[string]string{"line": string(quoted)})
	if err != nil {
		t.Fatal(err)
	}
	gz := func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		return out.Bytes()
	}
	zst := func(b []byte) []byte {
		w, _ := zstd.NewWriter(nil)
		return w.EncodeAll(b, nil)
	}
	zipped := func(name string, b []byte) []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		f, _ := w.Create(name)
		_, _ = f.Write(b)
		_ = w.Close()
		return out.Bytes()
	}
	ascii := []byte(`{"content":"say \"open\"\n\tand use C:\\keys, \u03c0 and \ud83d\udd11"}`)
	far := append(bytes.Repeat([]byte(`{"content":"nothing\n"}`+"\n"), 60_000), ascii...) // over 1 MiB
	for _, c := range []struct {
		name    string
		file    []byte
		outcome versions.Outcome
	}{
		{"plain", []byte("x" + secret), versions.OutcomeStillIn},
		{"another text", []byte("say open and use keys"), versions.OutcomeGone},
		{"JSON", quoted, versions.OutcomeStillIn},
		{"JSON with all escapes", ascii, versions.OutcomeStillIn},
		{"JSON in JSON", twice, versions.OutcomeStillIn},
		{"at the end of a long file", far, versions.OutcomeStillIn},
		{"Go's quotes", []byte(fmt.Sprintf("msg=%+q", secret)), versions.OutcomeStillIn},
		{"base64", []byte(`{"content_base64":"` + base64.StdEncoding.EncodeToString([]byte("\xff"+secret)) + `"}`), versions.OutcomeStillIn},
		{"gzip", gz(quoted), versions.OutcomeStillIn},
		{"gzip in gzip", gz(gz(quoted)), versions.OutcomeStillIn},
		{"gzip of another text", gz([]byte("say open")), versions.OutcomeGone},
		{"half of a gzip", gz(far)[:200], versions.OutcomeUnknown},
		{"zstd", zst(quoted), versions.OutcomeStillIn},
		{"half of a zstd", zst(far)[:100], versions.OutcomeUnknown},
		{"zip", zipped("a.json", quoted), versions.OutcomeStillIn},
		{"zip with gzip", zipped("a.json.gz", gz(quoted)), versions.OutcomeStillIn},
		{"zip in a zip", zipped("a.zip", zipped("a.json", quoted)), versions.OutcomeUnknown},
		{"xz", []byte("\xfd7zXZ\x00 what is in it nobody knows"), versions.OutcomeUnknown},
		{"a text that looks like zlib", []byte("x^2 + y^2"), versions.OutcomeGone},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(robot, "a", "one "+secret)
			w.write(robot, "a", "two")
			file := filepath.Join(w.home, "file")
			if err := os.WriteFile(file, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			r := w.redact(versions.RedactTarget{Match: []byte(secret)}, versions.RedactChoice{})
			if r.Outcome != c.outcome {
				t.Errorf("receipt %+v", r)
			}
			for _, h := range r.Found {
				if h.File != file {
					t.Errorf("found in %+v", h)
				}
			}
			for _, why := range r.Unknown {
				if !strings.HasPrefix(why, file) {
					t.Errorf("not known: %s", why)
				}
			}
			if v, err := redact.Verify(t.Context(), w.store, versions.RedactTarget{Match: []byte(secret)}, versions.Scrub{}); err != nil || v.Outcome != c.outcome {
				t.Errorf("verify: %+v, %v", v, err)
			}
		})
	}
}

// A copy of the trail, as a backup or an upgrade leaves one, holds contents packed.
func TestARedactionFindsACopyOfTheTrail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := "a text that compresses well, " + strings.Repeat("again and ", 50)
	w.write(robot, "a", secret)
	w.write(robot, "a", "two")
	w.close()
	b, err := os.ReadFile(filepath.Join(w.home, db.File))
	if err != nil {
		t.Fatal(err)
	}
	w.open()
	name := filepath.Join(w.home, db.File+".before-upgrade")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	target := versions.RedactTarget{Match: []byte(secret)}
	if r := w.redact(target, versions.RedactChoice{}); r.Outcome != versions.OutcomeStillIn || len(r.Found) != 1 || r.Found[0].File != name {
		t.Errorf("receipt %+v", r)
	}
	verify := func() versions.Receipt {
		r, err := redact.Verify(t.Context(), w.store, target, versions.Scrub{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := verify(); r.Outcome != versions.OutcomeStillIn || len(r.Found) != 1 || r.Found[0].File != name {
		t.Errorf("verify: %+v", r)
	}
	if err := os.WriteFile(name, b[:len(b)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if r := verify(); r.Outcome == versions.OutcomeGone || len(r.Unknown) != 1 {
		t.Errorf("half of a copy: %+v", r)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if r := verify(); r.Outcome != versions.OutcomeGone {
		t.Errorf("without the copy: %+v", r)
	}
}

// A text that no version holds is erased where it can be, and found where it can't.
func TestATextThatNoVersionHoldsIsErasedAndFound(t *testing.T) {
	t.Parallel()
	const secret = "sk-live-nobody-wrote-this-into-a-memory"
	target := versions.RedactTarget{Match: []byte(secret)}
	for _, c := range []struct {
		name   string
		put    func(w *world)
		place  string
		erased bool
	}{
		{"description", func(w *world) {
			text := "uses " + secret
			_, err := stores.Update(w.t.Context(), w.trail, alice, w.store.Info().ID, versions.StoreUpdate{Description: &text})
			w.must(err)
		}, "description of store ", true},
		{"title", func(w *world) {
			text := secret
			_, err := stores.Update(w.t.Context(), w.trail, alice, w.store.Info().ID, versions.StoreUpdate{Title: &text})
			w.must(err)
		}, "title of store ", true},
		{"metadata", func(w *world) {
			text := secret
			_, err := stores.Update(w.t.Context(), w.trail, alice, w.store.Info().ID, versions.StoreUpdate{Metadata: map[string]*string{"key": &text, secret: &text}})
			w.must(err)
		}, "metadata of store ", true},
		{"actor", func(w *world) {
			w.write(versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "bot-" + secret}}, "a", "x")
		}, "name of an actor", true},
		{"two actors", func(w *world) {
			w.write(versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: secret}}, "a", "x")
			w.write(versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "[redacted]"}}, "a", "y")
		}, "name of an actor", true},
		{"session", func(w *world) { w.write(versions.By{Actor: robot.Actor, Session: secret}, "a", "x") }, "id of a session", true},
		{"tool call", func(w *world) { w.write(versions.By{Actor: robot.Actor, ToolUse: secret}, "a", "x") }, "id of a tool call in store ", true},
		{"tool call of an inference", func(w *world) {
			w.outside("a", "x")
			w.sync()
			w.tell(wrote("S1", secret, "a", "x", time.Now()))
		}, "id of a tool call in store ", true},
		{"an actor's title", func(w *world) {
			w.write(versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot", Title: "Robot " + secret}}, "a", "x")
		}, "title of an actor", true},
		{"an actor's title with JSON in it", func(w *world) {
			w.write(versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot", Title: `{"k":"\u0073` + secret[1:] + `"}`}}, "a", "x")
		}, "title of an actor", true},
		{"message", func(w *world) { w.commit("Rotate "+secret+"\n\nIt was "+secret, "") }, "message of a commit in store ", true},
		{"message with JSON in it", func(w *world) { w.commit(`{"k":"\u0073`+secret[1:]+`"}`, "") }, "message of a commit in store ", true},
		{"long message", func(w *world) { w.commit(strings.Repeat("x", 50_000)+secret, "") }, "message of a commit in store ", true},
		{"e-mail address", func(w *world) { w.commit("", secret+"@example.com") }, "e-mail address of an author in store ", true},
		{"instructions", func(w *world) {
			a, err := stores.Attach(w.t.Context(), w.trail, versions.By{Actor: robot.Actor, Session: "sesn_x"}, []versions.Attachment{{Store: w.store.Info().ID, Instructions: "use " + secret}})
			w.must(err)
			w.must(a.Close())
		}, "instructions of an attachment of store ", true},
		{"conversation", func(w *world) {
			c := w.begin(versions.NewSession())
			w.said(c, map[string]string{"text": "I read " + secret})
			w.must(c.Close())
		}, "text in a conversation with an agent", true},
		{"conversation with JSON in it", func(w *world) {
			c := w.begin(versions.NewSession())
			w.said(c, map[string]string{"raw": `{"k":"\u0073` + secret[1:] + `"}`})
			w.must(c.Close())
		}, "text in a conversation with an agent", true},
		{"draft", func(w *world) {
			d := w.trail.Drafts(w.store.Info().ID)
			w.keep(d, draftOf(mustPath("a"), secret), 1)
			w.must(d.Close())
		}, "unsaved text", true},
		{"editor's copy", func(w *world) {
			e, _, err := w.store.NewEditCopy("a.md", []byte(secret))
			w.must(err)
			w.must(e.Keep())
		}, "copy for an editor", true},
		{"an earlier receipt", func(w *world) {
			w.write(robot, secret+"/a", "another secret which is long enough")
			w.write(robot, "b", "another secret which is long enough")
			w.write(robot, "b", "two")
			w.redact(versions.RedactTarget{Version: w.versionOf("b", 1).ID}, versions.RedactChoice{})
			w.redact(versions.RedactTarget{Memory: w.versionOf(secret+"/a", 1).Memory}, versions.RedactChoice{Heads: versions.HeadDelete})
			w.must(os.RemoveAll(w.host(secret)))
		}, "receipt 1", true},
		{"name of a store", func(w *world) {
			_, err := stores.CreateStore(w.t.Context(), w.trail, alice, secret, "", w.t.TempDir())
			w.must(err)
		}, "name of store [redacted]", false},
		{"a file", func(w *world) { w.outside(".notes", secret) }, "", false},
		{"the name of a file", func(w *world) { w.outside("."+secret, "x") }, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.put(w)
			if v, err := redact.Verify(t.Context(), w.store, target, versions.Scrub{}); err != nil || v.Outcome != versions.OutcomeStillIn {
				t.Errorf("before: %+v, %v", v, err)
			}
			p := w.plan(versions.RedactTarget{Match: target.Match, AllStores: true})
			if c.place != "" && (len(p.Places) != 1 || !strings.HasPrefix(p.Places[0].What, c.place) || p.Places[0].Stays == c.erased) {
				t.Errorf("places %+v", p.Places)
			}
			if p.Empty() == c.erased {
				t.Fatalf("plan %+v", p)
			}
			if c.erased {
				if r := w.redact(target, versions.RedactChoice{}); r.Outcome != versions.OutcomeGone || r.Versions != 0 {
					t.Errorf("receipt %+v", r)
				}
				w.wantNowhere(secret, secret[5:])
				return
			}
			if _, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{}); !errors.Is(err, versions.ErrNothing) {
				t.Errorf("redact: %v", err)
			}
		})
	}
}

// A receipt's own words, ids and numbers are nobody's text, though they may look like a short one.
func TestAReceiptItselfIsNoPlaceOfAText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "windows")
	w.write(robot, "a", "two")
	target := versions.RedactTarget{Match: []byte("windows")}
	for range 2 {
		if r := w.redact(target, versions.RedactChoice{}); r.Outcome != versions.OutcomeGone {
			t.Errorf("receipt %+v", r)
		}
		r, err := redact.Verify(t.Context(), w.store, target, versions.Scrub{})
		if err != nil || r.Outcome != versions.OutcomeGone {
			t.Errorf("verify: %+v, %v", r, err)
		}
		w.write(robot, "b", "windows")
		w.write(robot, "b", "two")
	}
}

// What an honest "still in" found is still there for the next who asks.
func TestASecondRunDoesNotForgetWhatIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const secret = "left over in another place"
	w.write(robot, "a", secret)
	w.write(robot, "a", "two")
	w.outside(".copy", secret)
	target := versions.RedactTarget{Match: []byte(secret)}
	if r := w.redact(target, versions.RedactChoice{}); r.Outcome != versions.OutcomeStillIn {
		t.Errorf("receipt %+v", r)
	}
	if p := w.plan(target); !p.Empty() {
		t.Errorf("plan %+v", p)
	}
	r, err := redact.Verify(t.Context(), w.store, target, versions.Scrub{})
	if err != nil || r.Outcome != versions.OutcomeStillIn || len(r.Found) != 1 || filepath.Base(r.Found[0].File) != ".copy" || r.ID != 0 {
		t.Errorf("verify: %+v, %v", r, err)
	}
}

func TestATextIsRedactedInAnyCaseAndByAPattern(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		target versions.RedactTarget
		erased string // of a, b and c
		left   string
	}{
		{"as it is written", versions.RedactTarget{Match: []byte("Password: Hunter2")}, "a", "the *** and password: hunter3"},
		{"in any case", versions.RedactTarget{Match: []byte("password: HUNTER2"), IgnoreCase: true}, "ab", "the *** and password: hunter3"},
		{"by a pattern", versions.RedactTarget{Match: []byte(`[Pp]assword: \w+`), Regexp: true}, "abc", "the *** and ***"},
		{"by a pattern in any case", versions.RedactTarget{Match: []byte(`PASSWORD: \w+2\b`), Regexp: true, IgnoreCase: true}, "ab", "the *** and password: hunter3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(robot, "a", "the Password: Hunter2 and password: hunter3")
			w.write(robot, "b", "password: hunter2")
			w.write(robot, "c", "password: other")
			talk := w.begin(versions.NewSession())
			w.said(talk, map[string]string{"text": "it said Password: Hunter2"})
			w.must(talk.Close())
			p := w.plan(c.target)
			got := ""
			for _, v := range p.Erase {
				got += v.Path.Base()
			}
			if got != c.erased || len(p.Places) != 1 {
				t.Fatalf("plan %s, %+v", got, p.Places)
			}
			r := w.redact(c.target, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("***")})
			if r.Outcome != versions.OutcomeGone || r.Masked != 1 {
				t.Errorf("receipt %+v", r)
			}
			w.wantFile("a", c.left)
			if v, err := redact.Verify(t.Context(), w.store, c.target, versions.Scrub{}); err != nil || v.Outcome != versions.OutcomeGone {
				t.Errorf("verify: %+v, %v", v, err)
			}
			w.wantNowhere("Password: Hunter2")
		})
	}
	w := newWorld(t)
	for _, bad := range []versions.RedactTarget{{Match: []byte("a*"), Regexp: true}, {Match: []byte("("), Regexp: true}, {Match: []byte("\xff"), IgnoreCase: true}} {
		if _, err := redact.Prepare(t.Context(), w.store, bad); err == nil {
			t.Errorf("%q was taken", bad.Match)
		}
	}
}

// What says what an object of a conversation is stays, whatever is redacted.
func TestRedact_LeavesTheFormOfConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range []string{"text", "content"} {
		w.write(robot, "a", text)
	}
	w.write(robot, "a", "two")
	id := versions.NewSession()
	c := w.begin(id)
	w.said(c, map[string]any{"role": "text", "content": []any{map[string]string{"type": "text", "text": "a text with content"}, map[string]string{"type": "text", "text": "text"}}})
	w.must(c.Close())
	w.redact(versions.RedactTarget{Version: w.versionOf("a", 1).ID}, versions.RedactChoice{})
	w.redact(versions.RedactTarget{Match: []byte("content")}, versions.RedactChoice{})
	b, err := os.ReadFile(w.trail.Conversations().File(id))
	w.must(err)
	var got struct {
		Role    string
		Content []struct{ Type, Text string }
	}
	if err := json.Unmarshal(b, &got); err != nil || got.Role != "text" || len(got.Content) != 2 || got.Content[0].Type != "text" ||
		!strings.HasPrefix(got.Content[0].Text, "[redacted]") || strings.TrimSpace(got.Content[1].Text) != "" {
		t.Errorf("%s reads %+v, %v", b, got, err)
	}
}

// Where a redaction was interrupted, what it looked for is in the trail; after its end
// it is not.
func TestThePendingTextIsForgotten(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	halt := ""
	w := newWorld(t, versions.Options{Hook: func(step string) error {
		if step == halt {
			return stop
		}
		return nil
	}})
	const secret = "nothing-of-this-may-be-left-in-the-journal"
	w.write(robot, "a", secret)
	w.write(robot, "a", "two")
	halt = "before-erase-commit"
	target := versions.RedactTarget{Match: []byte(secret)}
	if _, err := redact.Do(t.Context(), w.store, alice, w.plan(target), versions.RedactChoice{}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	coded := base64.StdEncoding.EncodeToString([]byte(secret))
	var pending sql.NullString
	if err := w.trail.DB.W.QueryRow(`SELECT receipt FROM redaction`).Scan(&pending); err != nil || !strings.Contains(pending.String, coded) {
		t.Errorf("the journal does not tell what to look for: %s, %v", pending.String, err)
	}
	halt = ""
	w.write(robot, "b", "any mutation finishes it")
	w.wantNowhere(secret, coded)
}

// A text that two pages of a copy of the trail share is found in it, in a table or in the log.
func TestARedactionFindsATextThatTwoPagesOfACopyShare(t *testing.T) {
	t.Parallel()
	for where, without := range map[string]string{"a table": `DELETE FROM log; VACUUM`, "the log": `UPDATE change SET message=NULL; VACUUM`} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			findInACopy(t, without)
		})
	}
}

func findInACopy(t *testing.T, without string) {
	w := newWorld(t)
	var message strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&message, "sk-live-%06d ", i)
	}
	w.commit(message.String(), "")
	w.close()
	file := filepath.Join(w.home, db.File)
	whole, err := os.ReadFile(file)
	w.must(err)
	w.harm(without) // what has the text again
	b, err := os.ReadFile(file)
	w.must(errors.Join(err, os.WriteFile(file, whole, 0o600)))
	w.open()
	secret := []byte("sk-live-000000")
	for i := 0; bytes.Contains(b, secret); i++ {
		secret = fmt.Appendf(nil, "sk-live-%06d", i)
	}
	name := filepath.Join(w.home, "copy.db")
	w.must(os.WriteFile(name, b, 0o600))
	target := versions.RedactTarget{Match: secret}
	w.redact(target, versions.RedactChoice{})
	r, err := redact.Verify(t.Context(), w.store, target, versions.Scrub{})
	if err != nil || r.Outcome != versions.OutcomeStillIn || len(r.Found) != 1 || r.Found[0].File != name || r.Found[0].Matches != 1 {
		t.Errorf("%s: %+v, %v", secret, r, err)
	}
}

// commit imports a history of one change, which says this of its commit.
func (w *world) commit(message, email string) {
	w.t.Helper()
	_, err := exchange.Import(w.t.Context(), w.store, alice, func(yield func(versions.Item, error) bool) {
		_ = yield(versions.Item{Content: []byte("committed")}, nil) &&
			yield(versions.Item{Record: &versions.Record{Kind: versions.KindCreate, Path: mustPath("committed"), By: alice, Time: time.Now(), Message: message, Email: email,
				Versions: []versions.RecordVersion{{Operation: versions.Created, Path: mustPath("committed"), SHA256: versions.Sum([]byte("committed"))}}}}, nil)
	})
	w.must(err)
}
