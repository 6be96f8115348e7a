package storesapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/versions"
)

// admit checks that the client is authorised, and records who it is.
//
// A web page can send requests to this machine, and can even read the answers under a host name that it
// made resolve to this machine (DNS rebinding). It can't hide that name or its origin.
func (s *Server) admit(c *call) error {
	if s.o.Local && !local(c.Host) {
		return &failure{status: http.StatusForbidden, kind: permissionError, message: "this server answers only to names of this machine, such as localhost"}
	}
	if origin := c.Header.Get("Origin"); origin != "" && !sameHost(origin, c.Host) {
		return &failure{status: http.StatusForbidden, kind: permissionError, message: "this server answers no pages of other sites"}
	}
	if site := c.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return &failure{status: http.StatusForbidden, kind: permissionError, message: "this server answers no pages of other sites"}
	}
	client, ok := s.o.Guard.Admit(c.Header)
	if !ok {
		return &failure{status: http.StatusUnauthorized, kind: authenticationError, message: "the key is missing or wrong: send it as x-api-key, or as authorization: Bearer"}
	}
	key := s.o.Guard.Token
	if keys := tokens.Sent(c.Header); key == "" && len(keys) > 0 {
		key = keys[0]
	}
	who := client
	if who == "" {
		who = keyID(key)
	}
	c.by = versions.By{Door: versions.DoorStoresAPI, Actor: versions.Actor{Kind: versions.APIKey, Name: who}, Session: s.session(who)}
	return s.permit(c)
}

// permit refuses what the attached stores exclude. A store that is not attached does not exist for
// the client.
func (s *Server) permit(c *call) error {
	id := c.storeID()
	switch at, ok := s.attachment(id); {
	case id == "" && c.Method != http.MethodGet && len(s.o.Attached) > 0:
		return &failure{status: http.StatusForbidden, kind: permissionError, message: "this server serves some stores only, and can't create others"}
	case id != "" && !ok:
		return fmt.Errorf("%w: %s", versions.ErrNoStore, id)
	case id != "" && at.Access == versions.ReadOnly && c.Method != http.MethodGet:
		return &failure{status: http.StatusForbidden, kind: permissionError, message: versions.ErrReadOnly.Error(), final: true}
	}
	return nil
}

// attachment returns how clients may use a store, if they may.
func (s *Server) attachment(id versions.StoreID) (at versions.Attachment, ok bool) {
	for _, at := range s.o.Attached {
		if at.Store == id {
			return at, true
		}
	}
	return at, len(s.o.Attached) == 0
}

// local reports whether a Host header, with or without a port, names this machine.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// idText is the encoding of ids.
var idText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// noKey is the id of a client that sends no key.
const noKey = "apikey_local"

// keyIDBytes is enough to distinguish one person's keys, and short enough for lists.
const keyIDBytes = 5

// keyID returns the id for a key. The key can't be derived from it.
func keyID(key string) string {
	if key == "" {
		return noKey
	}
	return "apikey_" + idText.EncodeToString(mac([]byte("memend api key"), key)[:keyIDBytes])
}

// session returns the session of a client while this server runs.
func (s *Server) session(who string) versions.SessionID {
	return versions.SessionID("sesn_" + idText.EncodeToString(mac(s.run[:], who)))
}

// mac returns a keyed hash with the length of an id.
func mac(secret []byte, text string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(text))
	return h.Sum(nil)[:15]
}
