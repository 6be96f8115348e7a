package storesapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/memtrail/memtrail/versions"
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
	keys := sentKeys(c.Header)
	key := ""
	if len(keys) > 0 {
		key = keys[0]
	}
	if s.o.Token != "" {
		if !anyIs(keys, s.o.Token) {
			return &failure{status: http.StatusUnauthorized, kind: authenticationError, message: "the key is missing or wrong: send it as x-api-key, or as authorization: Bearer"}
		}
		key = s.o.Token
	}
	c.by = versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: keyID(key)}, Session: s.session(key)}
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

// sentKeys are the keys that a request brings, by either way of sending one.
func sentKeys(h http.Header) (keys []string) {
	if key := h.Get("X-Api-Key"); key != "" {
		keys = append(keys, key)
	}
	if scheme, key, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") && key != "" {
		keys = append(keys, strings.TrimSpace(key))
	}
	return keys
}

func anyIs(keys []string, token string) (is bool) {
	want := sha256.Sum256([]byte(token))
	for _, key := range keys {
		got := sha256.Sum256([]byte(key))
		is = subtle.ConstantTimeCompare(got[:], want[:]) == 1 || is
	}
	return is
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
	return "apikey_" + idText.EncodeToString(mac([]byte("memtrail api key"), key)[:keyIDBytes])
}

// session is the id of what a key does while this server runs.
func (s *Server) session(key string) versions.SessionID {
	return versions.SessionID("sesn_" + idText.EncodeToString(mac(s.run[:], key)))
}

// mac is as many bytes as an id has.
func mac(secret []byte, text string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(text))
	return h.Sum(nil)[:15]
}
