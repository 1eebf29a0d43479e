package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import java.util.ArrayList;
import java.util.List;

/** The kinds of faults, by what they may cost. */
public final class Faults {
    /** Loses no node: every call succeeds. */
    public static final List<Fault.Kind> HARMLESS = List.of(
            Cut::ofServer,
            Cut::ofServer,
            Flaky::draw,
            Flaky::draw,
            Hole::brief,
            Pause::brief,
            Slowness::draw,
            Refusal::draw,
            ClockRate::draw,
            ClockJump::draw);

    /** May lose nodes. Calls of them and to them fail. */
    public static final List<Fault.Kind> LOSSES =
            List.of(Cut::ofScheduler, Hole::lasting, Pause::lasting, Kill::ofWorker, Kill::ofServer);

    /** Breaks no connection. */
    public static final List<Fault.Kind> DELAYS =
            List.of(Pause::brief, Slowness::draw, ClockRate::draw, ClockJump::draw);

    /** Ends servers and workers that are started again: all workers go back to the newest checkpoint. */
    public static final List<Fault.Kind> RETURNS =
            List.of(Kill::serverReturns, Kill::workerReturns, Terminate::ofServer, Torn::ofServers);

    /** Lets clocks of servers run fast or slowly, and sets their wall clocks. */
    public static final List<Fault.Kind> CLOCKS = List.of(ClockRate::ofServer, ClockJump::ofServer);

    /** Kills workers. The other ones go on. */
    public static final List<Fault.Kind> WORKERS = List.of(Kill::ofWorker);

    /** Lets the disk of the servers fail: checkpoints may not be written, or read. */
    public static final List<Fault.Kind> DISKS =
            List.of(DiskFull::ofServers, DiskError::ofServers, SlowDisk::ofServers);

    private Faults() {}

    /** Loses the scheduler's process, which is started again with its journal if it has one: every call succeeds. */
    public static List<Fault.Kind> ofSchedulersProcess(Shape shape) {
        return shape.recovery() == Shape.Recovery.NONE
                ? List.of()
                : List.of(Kill::schedulerReturns, Terminate::ofScheduler);
    }

    /** As {@link #ofSchedulersProcess}, and the scheduler's machine with its disk. Barriers may be lost with it. */
    public static List<Fault.Kind> ofScheduler(Shape shape) {
        return shape.recovery() == Shape.Recovery.NONE
                ? List.of()
                : List.of(
                        Kill::schedulerReturns,
                        Terminate::ofScheduler,
                        Torn::ofScheduler,
                        DiskFull::ofScheduler,
                        DiskError::ofScheduler,
                        SlowDisk::ofScheduler);
    }

    /** Returns several lists as one. */
    @SafeVarargs
    public static List<Fault.Kind> of(List<Fault.Kind>... lists) {
        List<Fault.Kind> all = new ArrayList<>();
        for (List<Fault.Kind> each : lists) {
            all.addAll(each);
        }
        return all;
    }
}
