// Package tokens keeps the keys that clients of memend's servers must send: one of
// the home, which the servers print, and one for each client that somebody issued one
// to. They are files of the home, mode 0600: who can read them can read the trail too.
//
//	HOME/token          the home's own token, as it is sent; made once
//	HOME/tokens/NAME    the SHA-256 of NAME's token, in hexadecimal
//
// A token of a client can't be shown again. Nothing is cached: what is issued or
// revoked counts from the next request on, in every process.
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
	"time"
)

// What a caller asked for can't be done.
var (
	ErrName   = errors.New("a client's name is 1 to 64 small letters, digits, dots, hyphens and underscores; it begins with a letter or digit, and not with apikey_")
	ErrExists = errors.New("there is a token for this client")
	ErrNone   = errors.New("there is no token for this client")
	ErrToken  = errors.New("holds no token")
)

// Book is the tokens of one home. Its methods are safe for concurrent use.
type Book struct{ home string }

// In is the book of a home.
func In(home string) Book { return Book{home} }

// MinLength is as short as a token can be that nobody guesses.
const MinLength = 16

// Valid reports whether a text can be sent as a token, and is not too short for one.
func Valid(token string) bool {
	return len(token) >= MinLength && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// File is where the home's own token is.
func (b Book) File() string { return filepath.Join(b.home, "token") }

// Own is the home's own token, which is made when there is none.
func (b Book) Own() (string, error) {
	raw, err := os.ReadFile(b.File())
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(b.File(), random()); err == nil || errors.Is(err, fs.ErrExist) { // or another process was faster
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

// Client is a client that a token was issued to.
type Client struct {
	Name   string
	Issued time.Time
}

func (b Book) folder() string { return filepath.Join(b.home, "tokens") }

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Issue makes a token for a client. It can't be shown a second time.
func (b Book) Issue(name string) (token string, err error) {
	if !nameForm.MatchString(name) || strings.HasPrefix(name, "apikey_") { // so are keys named that nobody issued
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

// Revoke ends a client's token.
func (b Book) Revoke(name string) error {
	err := error(fs.ErrNotExist)
	if nameForm.MatchString(name) {
		err = os.Remove(filepath.Join(b.folder(), name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", name, ErrNone)
	}
	return err
}

// Clients lists those that have a token, by name.
func (b Book) Clients() ([]Client, error) {
	files, err := os.ReadDir(b.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Client
	for _, f := range files {
		if !nameForm.MatchString(f.Name()) {
			continue
		}
		if info, err := f.Info(); err == nil { // else it was revoked this moment
			out = append(out, Client{f.Name(), info.ModTime()})
		}
	}
	return out, err
}

// whose is the client that sent one of some keys; not ok when none of them is issued.
func (b Book) whose(keys []string) (name string, ok bool) {
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

// among reports whether one of some keys is a token. It takes the same time whatever
// they are.
func among(keys []string, token string) (is bool) {
	want := sha256.Sum256([]byte(token))
	for _, key := range keys {
		got := sha256.Sum256([]byte(key))
		is = subtle.ConstantTimeCompare(got[:], want[:]) == 1 || is
	}
	return is
}

// Sent are the keys that a request brings, in either place where SDKs put them.
func Sent(h http.Header) (keys []string) {
	if key := h.Get("X-Api-Key"); key != "" {
		keys = append(keys, key)
	}
	if scheme, key, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") && key != "" {
		keys = append(keys, strings.TrimSpace(key))
	}
	return keys
}

// Guard decides who may ask a server. The zero Guard lets everybody in.
type Guard struct {
	Token   string // that clients must send, if they send none that was issued
	Clients Book   // those that were issued; the zero Book has none
}

// Admit reports whether a request brings a token, and gives the client that it was
// issued to: "" for the server's own token, and for everybody where none is asked for.
func (g Guard) Admit(h http.Header) (client string, ok bool) {
	keys := Sent(h)
	if g.Token == "" || among(keys, g.Token) {
		return "", true
	}
	return g.Clients.whose(keys)
}

// random is a new token, of 130 bits.
func random() string { return "memend_" + strings.ToLower(rand.Text()) }

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// create makes a file that others see whole or not at all; fs.ErrExist when there is one.
func create(file, text string) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".token-") // its mode is 0600
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
