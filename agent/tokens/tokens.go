// Package tokens stores the keys that clients of memend's servers must send: the home's own token, which the servers print, and
// a token for each client that was issued one. They are files of the home with mode 0600: whoever can read them can read the
// trail too.
//
//	HOME/token          the home's own token in clear; created once
//	HOME/tokens/NAME    the SHA-256 of NAME's token, in hexadecimal
//
// A client's token can't be shown again. Nothing is cached: issuing and revoking take effect with the next request, in every
// process.
package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Errors of issuing, revoking and reading tokens.
var (
	ErrName   = errors.New("a client's name must have 1 to 64 lower-case letters, digits, dots, hyphens and underscores, begin with a letter or digit, and not begin with apikey_")
	ErrExists = errors.New("the client already has a token")
	ErrNone   = errors.New("the client has no token")
	ErrToken  = errors.New("holds no token")
)

// Book holds the tokens of one home. Its methods are safe for concurrent use.
type Book struct{ home string }

// In returns the tokens of a home.
func In(home string) Book { return Book{home} }

// MinLength is the minimum length of a token that can't be guessed.
const MinLength = 16

// Valid reports whether a text can be sent as a token and is long enough.
func Valid(token string) bool {
	return len(token) >= MinLength && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// File returns the path of the home's own token.
func (b Book) File() string { return filepath.Join(b.home, "token") }

// Own returns the home's own token, and creates it if there is none.
func (b Book) Own() (string, error) {
	raw, err := os.ReadFile(b.File())
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(b.File(), random()); err == nil || errors.Is(err, fs.ErrExist) { // another process may create it first
			raw, err = os.ReadFile(b.File())
		}
	}
	if err != nil {
		return "", fmt.Errorf("the home's token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if !Valid(token) {
		return "", fmt.Errorf("%s: %w", b.File(), ErrToken)
	}
	return token, nil
}

// Client is a client with a token.
type Client struct {
	Name   string
	Issued time.Time
}

func (b Book) folder() string { return filepath.Join(b.home, "tokens") }

var nameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
})

// Issue creates a token for a client. It can't be shown a second time.
func (b Book) Issue(name string) (token string, err error) {
	if !nameForm().MatchString(name) || strings.HasPrefix(name, "apikey_") { // the prefix of names for keys that were not issued
		return "", fmt.Errorf("%q: %w", name, ErrName)
	}
	if err := os.MkdirAll(b.folder(), 0o700); err != nil {
		return "", err
	}
	token = random()
	err = create(filepath.Join(b.folder(), name), digest(token))
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s: %w", name, ErrExists)
	}
	return token, err
}

// Revoke revokes a client's token.
func (b Book) Revoke(name string) error {
	err := error(fs.ErrNotExist)
	if nameForm().MatchString(name) {
		err = os.Remove(filepath.Join(b.folder(), name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", name, ErrNone)
	}
	return err
}

// Clients lists the clients with a token, by name.
func (b Book) Clients() ([]Client, error) {
	files, err := os.ReadDir(b.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Client
	for _, f := range files {
		if !nameForm().MatchString(f.Name()) {
			continue
		}
		if info, err := f.Info(); err == nil { // otherwise it has just been revoked
			out = append(out, Client{f.Name(), info.ModTime()})
		}
	}
	return out, err
}

// clientOf returns the client whose token is among keys; ok is false if none was issued.
func (b Book) clientOf(keys []string) (name string, ok bool) {
	if b.home == "" || len(keys) == 0 {
		return "", false
	}
	clients, err := b.Clients()
	if err != nil {
		return "", false
	}
	for _, c := range clients {
		want, err := os.ReadFile(filepath.Join(b.folder(), c.Name))
		if err != nil {
			continue
		}
		for _, key := range keys {
			if subtle.ConstantTimeCompare([]byte(digest(key)), []byte(strings.TrimSpace(string(want)))) == 1 {
				name, ok = c.Name, true
			}
		}
	}
	return name, ok
}

// among reports whether token is among keys, in constant time.
func among(keys []string, token string) (is bool) {
	want := sha256.Sum256([]byte(token))
	for _, key := range keys {
		got := sha256.Sum256([]byte(key))
		is = subtle.ConstantTimeCompare(got[:], want[:]) == 1 || is
	}
	return is
}

// Sent returns the keys of a request, from both headers that SDKs use.
func Sent(h http.Header) (keys []string) {
	if key := h.Get("X-Api-Key"); key != "" {
		keys = append(keys, key)
	}
	if scheme, key, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") && key != "" {
		keys = append(keys, strings.TrimSpace(key))
	}
	return keys
}

// Guard decides which requests a server accepts. The zero Guard accepts all.
type Guard struct {
	Token   string // required from clients without an issued token
	Clients Book   // the issued tokens; the zero Book has none
}

// Admit reports whether a request has a valid token, and returns the client that it was issued to: "" for the server's own
// token, and for everybody if no token is required.
func (g Guard) Admit(h http.Header) (client string, ok bool) {
	keys := Sent(h)
	if g.Token == "" || among(keys, g.Token) {
		return "", true
	}
	return g.Clients.clientOf(keys)
}

// random returns a new token of 130 bits.
func random() string { return "memend_" + strings.ToLower(rand.Text()) }

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// create creates a file atomically; it returns fs.ErrExist if there is one.
func create(file, text string) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".token-") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(text + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), file)
}
