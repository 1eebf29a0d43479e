package io.psf.simulation.agent;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A defect that the agent puts into a method of psf: the method returns at once, or one of the methods that it calls
 * does nothing. It is on only while {@code Planted} has its name.
 *
 * @param workload the workload that finds it
 * @param what what is wrong then, as a sentence
 * @param owner the class, by its internal name
 * @param call the name of the method that does nothing when this one calls it; null if this one returns at once
 * @param value what is returned instead: a constant, null for 0, false or null, {@link #FIRST} or {@link
 *     #WALL_CLOCK}
 */
public record Plant(
        String name,
        String workload,
        String what,
        String owner,
        String method,
        @Nullable String call,
        @Nullable Object value) {
    /** Returns the object or the first argument of the call that does nothing. */
    public static final String FIRST = "first";

    /** Returns the nanoseconds of the wall clock. */
    public static final String WALL_CLOCK = "wall clock";

    private static final String RUNTIME = "io/psf/runtime/internal/";
    private static final String SERVER = RUNTIME + "server/";
    private static final String CALL = RUNTIME + "call/";
    private static final String CLUSTER = RUNTIME + "cluster/";
    private static final String STORE = "io/psf/api/spi/FolderStore";
    private static final String BUILTIN = "io/psf/builtin/";

    private static final List<Plant> ALL = List.of(
            skips(
                    "answers-not-consulted",
                    "sums",
                    "a repeated call runs again",
                    SERVER + "Requests",
                    "answerFromMemory",
                    "begin"),
            returns(
                    "answers-not-kept",
                    "quorum",
                    "a repeated call gets no answer",
                    SERVER + "session/Answers",
                    "answered",
                    null),
            skips(
                    "sessions-not-kept",
                    "quorum",
                    "a session ends with its connection, and its answers with it",
                    SERVER + "Connections",
                    "detachOrEnd",
                    "hasSession"),
            new Plant(
                    "resent-unsorted",
                    "append-log",
                    "calls are sent again in any order",
                    CALL + "CallClient",
                    "resume",
                    "sorted",
                    FIRST),
            new Plant(
                    "sent-twice",
                    "rounds",
                    "a part is sent once more over the channel that has it",
                    CALL + "CallParts",
                    "claim",
                    "isUnsent",
                    1),
            returns(
                    "turns-not-awaited",
                    "append-log",
                    "a call begins while an earlier one of its worker waits",
                    SERVER + "lane/CallOrder$Sequence",
                    "begins",
                    1),
            returns(
                    "priority-over-order",
                    "append-log",
                    "a priority changes the order of one worker's calls",
                    SERVER + "lane/CallOrder",
                    "precedes",
                    null),
            returns(
                    "done-too-early",
                    "rounds",
                    "all calls are reported as done when a connection is made again",
                    CALL + "Outstanding",
                    "oldest",
                    Long.MAX_VALUE),
            returns(
                    "reconnection-missing",
                    "quorum",
                    "a broken connection stays broken",
                    CLUSTER + "Session",
                    "reconnect",
                    null),
            returns(
                    "deadline-missing",
                    "deadlines",
                    "no call ends by its deadline",
                    CALL + "CallClient",
                    "expire",
                    null),
            returns(
                    "losses-not-noticed",
                    "clocks",
                    "a lost node counts as present",
                    CLUSTER + "Absences",
                    "lost",
                    null),
            returns(
                    "journal-not-written",
                    "barriers",
                    "the scheduler writes nothing down",
                    CLUSTER + "Journal",
                    "write",
                    null),
            returns(
                    "journal-without-changes",
                    "barriers",
                    "the journal has no change of the state",
                    CLUSTER + "Journal",
                    "changed",
                    null),
            returns(
                    "journal-without-barriers",
                    "barriers",
                    "the journal has no barrier",
                    CLUSTER + "Journal",
                    "barrier",
                    null),
            returns(
                    "round-not-awaited",
                    "rounds",
                    "a round waits for nobody",
                    BUILTIN + "push/AwaitedWorkers",
                    "isMissing",
                    null),
            skips(
                    "late-not-counted",
                    "quorum",
                    "a push that is dropped as late is not counted",
                    BUILTIN + "push/RoundQuorum",
                    "isLate",
                    "merge"),
            returns(
                    "staleness-ignored",
                    "clocks",
                    "the slowest clock holds back nobody",
                    BUILTIN + "internal/ssp/SspGroup",
                    "slowest",
                    Long.MAX_VALUE),
            returns(
                    "rollback-missed",
                    "training",
                    "workers do not go back to a checkpoint",
                    "io/psf/runtime/Worker",
                    "rollBack",
                    null),
            returns(
                    "record-not-restored",
                    "training",
                    "a worker goes back without its record",
                    BUILTIN + "TrainingLoop",
                    "restore",
                    null),
            skips(
                    "answers-not-released",
                    "append-log",
                    "a worker keeps the frames of answers",
                    CALL + "Ending",
                    "answered",
                    "release"),
            returns(
                    "worker-not-awaited",
                    "training",
                    "the others do not wait for a worker that comes back",
                    CLUSTER + "ClusterChange$Loss",
                    "isOfAwaitedWorker",
                    null),
            skips(
                    "journal-not-forced",
                    "declarations",
                    "a change of the state is not forced to the disk",
                    CLUSTER + "JournalFile",
                    "append",
                    "force"),
            skips(
                    "journal-begun-unforced",
                    "declarations",
                    "a new journal is not forced before it has its name",
                    CLUSTER + "JournalFile",
                    "rewrite",
                    "force"),
            skips(
                    "name-of-journal-not-forced",
                    "declarations",
                    "the name of a new journal is not forced",
                    CLUSTER + "JournalFile",
                    "rewrite",
                    "forceFolder"),
            skips(
                    "folder-of-journal-not-forced",
                    "declarations",
                    "the name of the journal's folder is not forced",
                    CLUSTER + "JournalFile",
                    "in",
                    "forceNames"),
            skips(
                    "manifest-not-forced",
                    "restarts",
                    "the manifest of a checkpoint is not forced before it has its name",
                    STORE,
                    "publish",
                    "force"),
            skips(
                    "image-not-forced",
                    "restarts",
                    "the images of a checkpoint are not forced",
                    STORE + "$Writing",
                    "finish",
                    "force"),
            skips(
                    "folders-not-forced",
                    "restarts",
                    "the names of a checkpoint's files and folders are not forced",
                    STORE,
                    "publish",
                    "forceNamesIn"),
            returns(
                    "versions-not-counted",
                    "cache",
                    "the version of a row does not count the updates of caches",
                    BUILTIN + "cache/Versions",
                    "add",
                    null),
            new Plant(
                    "wall-clock-of-rows",
                    "bounded-table",
                    "the age of a row is by the wall clock, which may be set",
                    BUILTIN + "policy/SteadyClock",
                    "getAsLong",
                    "nanoTime",
                    WALL_CLOCK),
            returns(
                    "idle-rows-not-looked-for",
                    "bounded-table",
                    "rows expire with pushes alone",
                    BUILTIN + "policy/RowPolicy",
                    "tick",
                    null),
            returns(
                    "steps-not-kept",
                    "tasks",
                    "a slice forgets the steps of tasks",
                    SERVER + "invocation/Steps",
                    "hasRun",
                    null),
            returns(
                    "timer-not-closed",
                    "append-log",
                    "the timer of a node runs on after its end",
                    "io/psf/runtime/Timer",
                    "close",
                    null));

    private static Plant returns(
            String name, String workload, String what, String owner, String method, @Nullable Object value) {
        return new Plant(name, workload, what, owner, method, null, value);
    }

    private static Plant skips(String name, String workload, String what, String owner, String method, String call) {
        return new Plant(name, workload, what, owner, method, call, null);
    }

    /** Returns all of them. */
    public static List<Plant> all() {
        return ALL;
    }

    /** Returns the defects of a class. */
    static List<Plant> of(String owner) {
        return ALL.stream().filter(each -> each.owner.equals(owner)).toList();
    }
}
