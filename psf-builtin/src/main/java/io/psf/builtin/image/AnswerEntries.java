package io.psf.builtin.image;

import io.psf.api.Role;
import io.psf.api.spi.KeptAnswers;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The part of an image that has the answers which the shard's server keeps. */
final class AnswerEntries {
    private static final int END = 0;
    private static final int ANSWER = 1;
    private static final int FORGOTTEN = 2;

    private AnswerEntries() {}

    static void write(KeptAnswers answers, DataOutputStream out) throws IOException {
        answers.save(entry -> {
            byte[] bytes = entry.answer();
            out.writeByte(bytes == null ? FORGOTTEN : ANSWER);
            out.writeByte(entry.role().ordinal());
            out.writeInt(entry.rank());
            out.writeLong(entry.call());
            if (bytes != null) {
                out.writeInt(bytes.length);
                out.write(bytes);
            }
        });
        out.writeByte(END);
    }

    static List<KeptAnswers.Entry> read(DataInputStream in) throws IOException {
        List<KeptAnswers.Entry> entries = new ArrayList<>();
        for (int kind = in.readByte(); kind != END; kind = in.readByte()) {
            int role = in.readByte();
            if (kind != ANSWER && kind != FORGOTTEN || role < 0 || role >= Role.values().length) {
                throw new IllegalArgumentException("kind of an answer: " + kind + ", of role " + role);
            }
            int rank = in.readInt();
            long call = in.readLong();
            byte[] answer = kind == FORGOTTEN ? null : bytes(in, in.readInt());
            entries.add(new KeptAnswers.Entry(Role.values()[role], rank, call, answer));
        }
        return entries;
    }

    private static byte[] bytes(DataInputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("an answer of " + length + " bytes has " + bytes.length);
        }
        return bytes;
    }
}
