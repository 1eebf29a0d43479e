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

    /** Kills servers that are started again, with the slices of the newest checkpoint. */
    public static final List<Fault.Kind> RETURNS = List.of(Kill::serverReturns);

    /** Kills workers. The other ones go on. */
    public static final List<Fault.Kind> WORKERS = List.of(Kill::ofWorker);

    private Faults() {}

    /** Loses the scheduler, which is started again with its journal if it has one: every call succeeds. */
    public static List<Fault.Kind> ofScheduler(Shape shape) {
        return shape.recovery() == Shape.Recovery.NONE ? List.of() : List.of(Kill::schedulerReturns);
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
