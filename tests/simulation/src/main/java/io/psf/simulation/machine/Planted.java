package io.psf.simulation.machine;

/** The defect that is planted in the runs of this process, if there is one. Rewritten methods of psf ask for theirs. */
public final class Planted {
    private static volatile String now = "";

    private Planted() {}

    /** Plants a defect by its name; empty for none. */
    public static void plant(String name) {
        now = name;
    }

    public static boolean isOn(String name) {
        return now.equals(name);
    }
}
