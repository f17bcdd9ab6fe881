package foreign

import "strings"

// WordyKinds returns personas that answer invitations and questions in plain words, one for every position of the
// words in an answer.
func WordyKinds() []Persona {
	wordy := func(name string, f Framing, edit func(*Persona)) Persona {
		return kind(name, f, func(p *Persona) {
			p.Words = true
			edit(p)
		})
	}
	return []Persona{
		wordy("words as the result", FramingA, func(*Persona) {}),
		wordy("words in a content block", FramingC, func(p *Persona) {
			p.Registration, p.Refuses, p.Reply = RegisterMeta, RefuseWords, ReplyContent
			p.Names[Invitation], p.Names[Result] = "receive_game_invitation", "receive_game_over"
		}),
		wordy("words as structured content", FramingC, func(p *Persona) { p.Registration, p.Reply = RegisterMeta, ReplyStructured }),
		wordy("words to a message type", FramingB, func(*Persona) {}),
		wordy("words and nothing else", FramingF, func(p *Persona) { p.Refuses, p.Reply = Refuse400, ReplyBare }),
	}
}

// speaks frames an answer in words in the persona's form.
func (p *Player) speaks(c call, words string) *answer {
	var result any = words
	text := []object{{"type": "text", "text": words}}
	switch p.Reply {
	case ReplyBare:
		return &answer{200, []byte(words)}
	case ReplyContent:
		result = object{"content": text}
	case ReplyStructured:
		result = object{"content": text, "structuredContent": object{"result": words}}
	}
	return &answer{200, encode(object{"jsonrpc": "2.0", "id": p.replyID(c), "result": result})}
}

// choiceInWords returns a sentence with the player's choice in a match.
func (p Persona) choiceInWords(match string) string {
	return "I choose " + strings.ToUpper(p.choice(match)) + " this time, good luck!"
}
