package theme

import (
	"math"
	"testing"
)

// How people without one kind of cone see a colour, as matrices over linear RGB: Machado,
// Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
// Deficiency", 2009, at full severity.
var blindness = map[string]*[3][3]float64{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func through(m *[3][3]float64, v [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = min(max(row[0]*v[0]+row[1]*v[1]+row[2]*v[2], 0), 1)
	}
	return out
}

// lab converts a colour to Oklab, where distances correspond to visible differences.
func lab(v [3]float64) [3]float64 {
	l := math.Cbrt(0.4122214708*v[0] + 0.5363325363*v[1] + 0.0514459929*v[2])
	m := math.Cbrt(0.2119034982*v[0] + 0.6806995451*v[1] + 0.1073969566*v[2])
	s := math.Cbrt(0.0883024619*v[0] + 0.2817188376*v[1] + 0.6299787005*v[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// difference returns the distance of two colours as seen by an eye: 0.02 is just
// noticeable.
func difference(a, b string, eye *[3][3]float64) float64 {
	x, y := linear(a), linear(b)
	if eye != nil {
		x, y = through(eye, x), through(eye, y)
	}
	p, q := lab(x), lab(y)
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

func TestSimulation_DetectsIndistinguishableColours(t *testing.T) {
	// The usual red and green.
	if got := difference("#1c2f22", "#3a2222", blindness["deuteranopia"]); got > 0.02 {
		t.Errorf("the simulation tells a green from a red tint: %.3f", got)
	}
	if got := difference("#1c2f22", "#3a2222", nil); got < 0.05 {
		t.Errorf("two colours that differ are %.3f apart", got)
	}
	if got := difference("#808080", "#808080", blindness["protanopia"]); got != 0 {
		t.Errorf("a grey differs from itself by %.3f", got)
	}
}

func TestAdjacentColours_DifferForColourBlindPeople(t *testing.T) {
	for _, d := range builtin {
		p := d.palette
		pairs := []struct {
			name string
			a, b ink
			want float64
		}{
			{"signs of added and removed", p.added, p.removed, 0.12},
			{"lines added and removed", p.addedLine, p.removedLine, 0.05},
			{"words added and removed", p.addedWord, p.removedWord, 0.10},
			{"words and lines added", p.addedWord, p.addedLine, 0.08},
			{"words and lines removed", p.removedWord, p.removedLine, 0.08},
			{"sides of a merge", p.ours, p.theirs, 0.04},
		}
		for i := range p.band {
			pairs = append(pairs, struct {
				name string
				a, b ink
				want float64
			}{"neighbours among bands", p.band[i], p.band[(i+1)%len(p.band)], 0.04})
		}
		for name, eye := range blindness {
			for _, pair := range pairs {
				for _, colors := range []Colors{Many, Some} {
					a, b := seen(pair.a, colors), seen(pair.b, colors)
					if got := difference(a, b, eye); got < pair.want {
						t.Errorf("%s with %s: %s, %s and %s, are %.3f apart, want %.2f", d.Name, name, pair.name, a, b, got, pair.want)
					}
				}
			}
		}
	}
}
