package agentleague_test

import (
	"fmt"
	"image"
	"regexp"
	"strings"
)

var (
	lifeline  = regexp.MustCompile(`^participant (\w+) as (.+)$`)
	arrow     = regexp.MustCompile(`^(\w+)(-?->>)(\w+): (.+)$`)
	note      = regexp.MustCompile(`^Note over (\w+)(?:,(\w+))?: (.+)$`)
	blockLine = regexp.MustCompile(`^(par|loop|opt|and|end)\b ?(.*)$`)
)

// A sequence is a sequence diagram while it is drawn, from top to bottom.
type sequence struct {
	*canvas
	at     map[string]float64 // x of each participant
	names  []string
	y      float64
	blocks []float64 // where those begin that are open
}

const (
	apart = 210.0 // between two participants
	side  = 100.0 // beside the outer ones
	step  = 30.0  // between two messages
)

// drawSequence draws a sequence diagram of Mermaid.
func drawSequence(mermaid string) (image.Image, error) {
	lines := strings.Split(strings.TrimSpace(mermaid), "\n")[1:]
	height, people := 2*step+20, 0
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
		if height += step; lifeline.MatchString(lines[i]) {
			people++
		}
		height += leading * float64(strings.Count(line, "<br>"))
	}
	s := &sequence{canvas: newCanvas(2*side+apart*float64(people-1), height), at: map[string]float64{}}
	for _, line := range lines {
		if err := s.draw(line, height); err != nil {
			return nil, err
		}
	}
	return s.img.SubImage(image.Rect(0, 0, s.img.Rect.Dx(), int((s.y+10)*pixels))), nil
}

// draw draws one line of the diagram.
func (s *sequence) draw(line string, height float64) error {
	if m := lifeline.FindStringSubmatch(line); m != nil {
		x := side + apart*float64(len(s.at))
		s.at[m[1]] = x
		s.canvas.line(faint, x, 40, x, height)
		s.box(shade, x-60, 10, x+60, 40, "<b>"+m[2]+"</b>")
		s.y = 40
		return nil
	}
	if m := arrow.FindStringSubmatch(line); m != nil && s.at[m[1]] > 0 && s.at[m[3]] > 0 {
		s.message(s.at[m[1]], s.at[m[3]], m[2] == "-->>", m[4])
		return nil
	}
	if m := note.FindStringSubmatch(line); m != nil && s.at[m[1]] > 0 {
		s.note(s.at[m[1]], s.at[m[1]], m[3])
		return nil
	}
	if m := blockLine.FindStringSubmatch(line); m != nil {
		s.block(m[1], m[2])
		return nil
	}
	return fmt.Errorf("cannot draw %q", line)
}

func (s *sequence) message(from, to float64, answer bool, text string) {
	s.y += step
	if answer {
		s.dashed(from, s.y, to, s.y)
	} else {
		s.canvas.line(ink, from, s.y, to, s.y)
	}
	s.head(from, s.y, to, s.y)
	s.label((from+to)/2, s.y-leading/2-1, text)
}

// note draws a note. It is over the participant that it names first, or as far from the border as it needs.
func (s *sequence) note(from, to float64, text string) {
	lines := strings.Split(text, "<br>")
	wide := 0.0
	for _, line := range lines {
		wide = max(wide, s.width(line))
	}
	right := float64(s.img.Rect.Dx())/pixels - 12
	x := min(max((from+to)/2, 12+wide/2+8), right-wide/2-8)
	high := leading*float64(len(lines)) + 6
	s.box(noted, x-wide/2-8, s.y+8, x+wide/2+8, s.y+8+high, lines...)
	s.y += 8 + high
}

// block begins or ends a group.
func (s *sequence) block(word, text string) {
	right := float64(s.img.Rect.Dx())/pixels - 10
	inset := 4 * float64(len(s.blocks))
	switch word {
	case "end":
		from := s.blocks[len(s.blocks)-1]
		s.blocks = s.blocks[:len(s.blocks)-1]
		s.y += 10
		inset -= 4
		s.frame(faint, 10+inset, from, right-inset, s.y)
	case "and":
		s.y += 8
		s.canvas.line(faint, 6+inset, s.y, right+4-inset, s.y)
	default:
		s.y += 10
		s.blocks = append(s.blocks, s.y)
		s.y += leading / 2
		label := strings.TrimSpace(map[string]string{"par": "both at once", "loop": "again"}[word] + " " + text)
		s.label(18+inset+s.width(label)/2, s.y+4, label)
		s.y += 6
	}
}
