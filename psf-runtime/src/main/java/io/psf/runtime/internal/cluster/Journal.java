package io.psf.runtime.internal.cluster;

import io.psf.api.CallInfo;
import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.cluster.JournalEntry.BarrierStep;
import io.psf.runtime.internal.cluster.JournalEntry.Call;
import io.psf.runtime.internal.cluster.JournalEntry.Cluster;
import io.psf.runtime.internal.cluster.JournalEntry.Mark;
import io.psf.runtime.internal.cluster.JournalEntry.Seat;
import io.psf.runtime.internal.cluster.JournalEntry.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a scheduler writes down before anybody is told of it, so that another one can go on in its place. Without a file
 * it writes nothing. Used on the scheduler's lane.
 */
public final class Journal implements AutoCloseable, Metered {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    /** How many numbers of clients one entry reserves. */
    private static final int CLIENTS = 1024;

    /** How much longer than its first entry the file may become, at least, before it is made anew. */
    private static final long MOST_BYTES = 16L << 20;

    /** How long after a failure the file is written again, at the earliest. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final @Nullable JournalFile file;
    private final JournalState state;
    private final Tickets tickets;
    /** The length of the file at which it is made anew; 0 while there is none, since it could not be written. */
    private long mostBytes;

    /** The length of the file. */
    private long length;

    /** When the file could not be written. */
    private long failedAt;
    /** True once the file is deleted or closed: it may be another scheduler's then. */
    private boolean isOver;

    /** The call whose effects the next change is; empty if no call causes it. */
    private List<Call> running = List.of();

    /** False if nothing needs what is written. */
    private final boolean isKept;

    private Journal(@Nullable JournalFile file, boolean isKept, JournalState state, Tickets tickets) {
        this.file = file;
        this.isKept = isKept;
        this.state = state;
        this.tickets = tickets;
    }

    /** Returns a journal without a file, of a new cluster. */
    static Journal none() {
        return new Journal(null, false, new JournalState(), Tickets.fresh());
    }

    /** Returns a journal without a file that has what another one has, for tests. */
    static Journal after(JournalState before, Tickets tickets) {
        JournalState state = new JournalState();
        state.add(before.whole());
        state.take();
        return new Journal(null, true, state, tickets);
    }

    /**
     * Opens the journal of a folder.
     *
     * @param folder null for a journal without a file
     * @param servers the number of servers that the cluster has
     * @throws PsException with {@code CONFIGURATION} if another scheduler uses the folder, or its journal is damaged or
     *     of a cluster with another number of servers
     */
    public static Journal in(@Nullable Path folder, int servers) {
        if (folder == null) {
            return none();
        }
        JournalFile file = JournalFile.in(folder);
        try {
            JournalState state = new JournalState();
            file.read(state::add);
            if (state.hasEnded() && !state.hasNodes()) {
                state = new JournalState();
            }
            Cluster cluster = state.cluster();
            if (cluster == null) {
                Tickets fresh = Tickets.fresh();
                cluster = new Cluster(fresh.cluster(), fresh.key(), servers);
                state.add(JournalEntry.Request.NOTHING.with(cluster));
            } else if (cluster.servers() != servers) {
                throw new PsException(
                        Code.CONFIGURATION,
                        "servers: " + servers + " (expected: " + cluster.servers()
                                + ", as the cluster of the journal in " + folder + " has; or another PSF_JOURNAL)");
            }
            state.take();
            Journal journal = new Journal(file, true, state, new Tickets(cluster.number(), cluster.key()));
            journal.rewrite(file);
            return journal;
        } catch (IOException e) {
            file.close();
            throw new PsException(
                    Code.CONFIGURATION,
                    "PSF_JOURNAL: " + folder + ": " + e + " (expected: a folder that can be written to)",
                    e);
        } catch (PsException e) {
            file.close();
            throw e;
        }
    }

    /** Returns the tickets of the cluster. */
    public Tickets tickets() {
        return tickets;
    }

    /** Returns what has been written down. */
    JournalState state() {
        return state;
    }

    /**
     * Runs a call that changes the state, unless it has run: a scheduler that was started again receives the calls once
     * more that its predecessor has not answered.
     */
    void run(CallInfo call, Runnable change) {
        Call number = new Call(call.worker(), call.call());
        boolean isNumbered = call.worker() != -1; // the calls of different servers have the same numbers
        if (isNumbered && state.hasRun(number)) {
            return;
        }
        running = isNumbered ? List.of(number) : List.of();
        try {
            change.run();
        } finally {
            running = List.of();
        }
    }

    /**
     * Writes a change of the state.
     *
     * @param seats the nodes that it admits
     */
    void changed(ClusterChange change, List<Seat> seats) {
        write(JournalEntry.Request.NOTHING.with(new Step(change, seats, running)));
    }

    /** Writes what has happened at the barrier. */
    void barrier(BarrierStep step) {
        write(JournalEntry.Request.NOTHING.with(step));
    }

    /** Reserves the number of a client, so that no other client gets it. */
    void reserveClient(int number) {
        if (number >= state.clients()) {
            write(JournalEntry.Request.NOTHING.with(number + CLIENTS));
        }
    }

    /** Writes something else that has happened. */
    void mark(Mark mark) {
        write(JournalEntry.Request.NOTHING.with(mark));
    }

    private synchronized void write(JournalEntry.Request entry) {
        if (isKept) {
            state.add(entry);
        }
        if (file == null || isOver) {
            return;
        }
        try {
            if (mostBytes > 0) {
                length = file.append(entry);
                if (length > mostBytes) {
                    rewrite(file);
                }
            } else if (System.nanoTime() - failedAt > PAUSE_NANOS) {
                rewrite(file);
                LOG.info("the journal can be written again");
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // of direct memory, for example
            fail(file, e);
        }
    }

    private void rewrite(JournalFile to) throws IOException {
        length = to.rewrite(state.whole());
        mostBytes = 2 * length + MOST_BYTES;
    }

    /**
     * Begins the journal of a new cluster, in the place of a cluster that is gone: the old tickets are worthless from
     * now on.
     */
    void renew() {
        Cluster before = state.cluster();
        tickets.renew();
        if (before != null) {
            write(JournalEntry.Request.NOTHING.with(new Cluster(tickets.cluster(), tickets.key(), before.servers())));
        }
    }

    /** Gives up the file: a scheduler that went on from it would not know what has happened since. */
    private void fail(JournalFile failed, Throwable cause) {
        if (mostBytes > 0) {
            LOG.error(
                    "the journal cannot be written: {}; the cluster goes on, and ends with this scheduler until the journal can"
                            + " be written again",
                    cause.toString());
        }
        mostBytes = 0;
        failedAt = System.nanoTime();
        try {
            failed.delete();
        } catch (IOException e) {
            LOG.error("the journal cannot be deleted: {}; delete it before a scheduler is started again", e.toString());
        }
    }

    /** True if another scheduler can go on from the file. Makes it anew if it could not be written before. */
    synchronized boolean isUsable() {
        if (file == null || isOver) {
            return false;
        }
        try {
            if (mostBytes == 0) {
                rewrite(file);
            }
            return true;
        } catch (IOException | RuntimeException e) {
            fail(file, e);
            return false;
        }
    }

    /** Lets the next write fail, for tests. */
    void breakFile() throws IOException {
        Objects.requireNonNull(file).closeFile();
    }

    /** Deletes the file: the cluster has ended. */
    public synchronized void delete() {
        if (file != null && !isOver) {
            isOver = true;
            try {
                file.delete();
            } catch (IOException e) {
                LOG.warn("the journal of a cluster that has ended cannot be deleted: {}", e.toString());
            }
        }
    }

    /** {@inheritDoc} Runs on any thread. */
    @Override
    public synchronized void measure(Metrics to) {
        if (file != null && !isOver) {
            to.gauge("psf.journal.bytes", "bytes", "length of the scheduler's journal", length);
            to.gauge("psf.journal.usable", "journals", "1: another scheduler can go on from it", mostBytes > 0 ? 1 : 0);
        }
    }

    @Override
    public synchronized void close() {
        isOver = true;
        if (file != null) {
            file.close();
        }
    }
}
