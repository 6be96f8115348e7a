package storesapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/versions"
)

// admit refuses who may not ask, and notes who asks.
//
// A page in a browser can send requests to this machine, and by a name that it has
// made to mean this machine (DNS rebinding) even read the answers. It can't hide
// what it is called, nor where it comes from.
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
	c.by = versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: who}, Session: s.session(who)}
	return nil
}

// local reports whether a Host header names this machine, with a port or without.
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

// idText writes bytes as ids are written.
var idText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// noKey is the id of whoever sends no key.
const noKey = "apikey_local"

// keyIDBytes is enough to tell one's keys apart, and short enough for lists.
const keyIDBytes = 5

// keyID is the id by which a key is known; the key can't be told from it.
func keyID(key string) string {
	if key == "" {
		return noKey
	}
	return "apikey_" + idText.EncodeToString(mac([]byte("memend api key"), key)[:keyIDBytes])
}

// session is the id of what a client does while this server runs.
func (s *Server) session(who string) versions.SessionID {
	return versions.SessionID("sesn_" + idText.EncodeToString(mac(s.run[:], who)))
}

// mac is as many bytes as an id has.
func mac(secret []byte, text string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(text))
	return h.Sum(nil)[:15]
}
