package io.psf.api.spi;

import io.psf.api.Role;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The answers of calls on a shard that its server keeps: a call that is sent again gets its answer from here, and does
 * not run again. Used on the shard's lane.
 */
public interface KeptAnswers {
    /** No answers: of a shard whose calls are not sent again. */
    KeptAnswers NONE = new KeptAnswers() {
        @Override
        public void save(Sink sink) {}

        @Override
        public void load(Entry entry) {}
    };

    /**
     * An answer.
     *
     * @param role the role of the node that made the call
     * @param rank the rank of that node
     * @param call the call's number, unique per node
     * @param answer the answer as it is sent; null of all calls with this number or a lower one whose answers are
     *     forgotten: if one of them is sent again, it may have been run
     */
    @SuppressWarnings("ArrayRecordComponent") // entries are not compared
    record Entry(Role role, int rank, long call, byte @Nullable [] answer) {}

    /** Receives the answers one after the other. */
    @FunctionalInterface
    interface Sink {
        /** Receives an answer. */
        void take(Entry entry) throws IOException;
    }

    /**
     * Passes the answers of calls on this shard to a sink.
     *
     * @throws IOException if the sink throws it
     */
    void save(Sink sink) throws IOException;

    /** Keeps an answer of a call on the shard that this one replaces. */
    void load(Entry entry);
}
