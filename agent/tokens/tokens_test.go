package tokens

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestTheHomesTokenIsCreatedOnce(t *testing.T) {
	home := t.TempDir()
	var all sync.WaitGroup
	got := make([]string, 16)
	for i := range got {
		all.Go(func() {
			token, err := In(home).Own()
			if err != nil {
				t.Error(err)
			}
			got[i] = token
		})
	}
	all.Wait()
	for _, token := range got {
		if token != got[0] || !Valid(token) {
			t.Fatalf("%q and %q", got[0], token)
		}
	}
	info, err := os.Stat(In(home).File())
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(home); len(left) != 1 {
		t.Errorf("the home holds %v", left)
	}
	if err := os.WriteFile(In(home).File(), []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := In(home).Own(); !errors.Is(err, ErrToken) {
		t.Error(err)
	}
}

func TestClientTokensAreIssuedVerifiedAndRevoked(t *testing.T) {
	home := t.TempDir()
	b := In(home)
	ci, err := b.Issue("ci")
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Issue("laptop.2")
	if err != nil || other == ci {
		t.Fatal(other, err)
	}
	if _, err := b.Issue("ci"); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	for _, name := range []string{"", "../x", "A", "a b", "-a", "apikey_x", strings.Repeat("a", 65)} {
		if _, err := b.Issue(name); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
		if err := b.Revoke(name); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", name, err)
		}
	}
	clients, err := b.Clients()
	if err != nil || len(clients) != 2 || clients[0].Name != "ci" || clients[0].Issued.IsZero() || clients[1].Name != "laptop.2" {
		t.Errorf("%+v, %v", clients, err)
	}
	raw, err := os.ReadFile(filepath.Join(home, "tokens", "ci"))
	if err != nil || strings.Contains(string(raw), ci) {
		t.Errorf("the file holds %q, %v", raw, err)
	}
	if info, err := os.Stat(filepath.Join(home, "tokens", "ci")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, try := range []struct {
		keys []string
		name string
	}{{[]string{ci}, "ci"}, {[]string{"x", other}, "laptop.2"}, {[]string{ci + "x"}, ""}, {[]string{strings.TrimSpace(string(raw))}, ""}, {nil, ""}, {[]string{""}, ""}} {
		if name, ok := b.clientOf(try.keys); name != try.name || ok != (name != "") {
			t.Errorf("%q: %q, %v", try.keys, name, ok)
		}
	}
	if err := b.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	if name, ok := b.clientOf([]string{ci}); ok {
		t.Errorf("a revoked token is %q's", name)
	}
	if err := b.Revoke("ci"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

func TestKeysAreReadFromTheHeadersOfSDKs(t *testing.T) {
	for _, h := range []http.Header{{"X-Api-Key": {"k"}}, {"Authorization": {"Bearer k"}}, {"Authorization": {"bearer  k "}}} {
		if keys := Sent(h); len(keys) != 1 || keys[0] != "k" {
			t.Errorf("%v: %q", h, keys)
		}
	}
	for _, h := range []http.Header{{}, {"Authorization": {"Basic k"}}, {"Authorization": {"Bearer"}}, {"X-Api-Key": {""}}} {
		if keys := Sent(h); keys != nil {
			t.Errorf("%v: %q", h, keys)
		}
	}
}
