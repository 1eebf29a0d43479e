package io.psf.runtime.internal.server;

import io.psf.api.Member;
import io.psf.api.spi.KeptAnswers;
import io.psf.runtime.internal.server.session.Answers;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Frame;
import java.io.IOException;
import java.util.List;

/**
 * The answers of calls on one slice that the sessions of a node keep.
 *
 * @param tensor the number of the tensor's name
 */
record SliceAnswers(Sessions sessions, int tensor, int slice) implements KeptAnswers {
    @Override
    public void save(Sink sink) throws IOException {
        for (Connection each : sessions.all()) {
            Member member = each.member();
            if (member != null) {
                save(member, each.answers(), sink);
            }
        }
    }

    private void save(Member member, Answers answers, Sink sink) throws IOException {
        List<Frame> kept = answers.kept(tensor, slice);
        try {
            long forgotten = answers.forgotten(); // read after the answers: an answer evicted in between is in both
            if (forgotten > 0) {
                sink.take(new Entry(member.role(), member.rank(), forgotten, null));
            }
            for (Frame answer : kept) {
                byte[] bytes = new byte[answer.length()];
                answer.bytes().duplicate().position(0).get(bytes);
                sink.take(new Entry(member.role(), member.rank(), answer.call(), bytes));
            }
        } finally {
            kept.forEach(Frame::release);
        }
    }

    @Override
    public void load(Entry entry) {
        byte[] bytes = entry.answer();
        if (bytes != null && bytes.length < Frame.HEADER) {
            throw new IllegalArgumentException("answer: " + bytes.length + " bytes, less than a header");
        }
        sessions.keep(entry);
    }
}
