package io.psf.builtin.push;

import io.psf.api.DeferredAnswer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of a shard as they are copied to another shard of the slice. Used on the shards' lanes.
 *
 * @param quorum null if a round waits for all workers
 * @param awaited the workers that the rounds wait for
 * @param taken the pushes whose workers are to send them again
 */
record MovingRounds(@Nullable RoundQuorum quorum, AwaitedWorkers awaited, TakenPushes taken) {
    /**
     * Writes the rounds.
     *
     * @param closed the number of rounds that have closed
     * @param open the other rounds, oldest first
     */
    void write(long closed, Collection<Round> open, DataOutputStream out) throws IOException {
        out.writeLong(closed);
        awaited.write(out);
        out.writeBoolean(quorum != null);
        if (quorum != null) {
            quorum.write(out);
        }
        taken.writeClosed(out);
        out.writeInt(open.size());
        for (Round round : open) {
            round.write(out);
        }
    }

    /**
     * Reads the rounds of another shard.
     *
     * @param waitsFor says which workers the oldest round waits for
     * @param opens opens a round behind the open rounds
     * @return the number of rounds that have closed
     * @throws IllegalArgumentException if the other shard's rounds close otherwise
     */
    long read(DataInputStream in, DeferredAnswer.Reason waitsFor, Supplier<Round> opens) throws IOException {
        long closed = in.readLong();
        awaited.read(in);
        boolean hasQuorum = in.readBoolean();
        if (hasQuorum != (quorum != null)) {
            throw new IllegalArgumentException("quorum: " + hasQuorum + ", not " + (quorum != null));
        }
        if (quorum != null) {
            quorum.read(in);
        }
        taken.readClosed(in);
        for (int left = in.readInt(); left > 0; left--) {
            opens.get().read(in, taken, waitsFor);
        }
        return closed;
    }
}
