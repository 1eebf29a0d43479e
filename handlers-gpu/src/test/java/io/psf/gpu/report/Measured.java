package io.psf.gpu.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One measurement.
 *
 * @param name the case
 * @param value the median; NaN if it was not measured
 * @param unit GB/s, billion keys/s, or us
 * @param floor the value to compare with, in the same unit, which was measured in the same run or published; NaN for
 *     none
 * @param wanted the least ratio; NaN for none
 * @param note a remark, or the reason why the case was not measured
 */
public record Measured(String name, double value, String unit, double floor, double wanted, String note) {
    private static final double NONE = Double.NaN;
    private static final String MICROS = "us";

    /** Returns a measurement of what the card does at most. */
    public static Measured floor(String name, double gigabytes) {
        return new Measured(name, gigabytes, "GB/s", NONE, NONE, "");
    }

    /** Returns bytes a second, as a ratio to a floor. */
    public static Measured rate(String name, double gigabytes, double floor, double wanted) {
        return new Measured(name, gigabytes, "GB/s", floor, wanted, "");
    }

    /** Returns a time in microseconds. */
    public static Measured time(String name, double seconds, double floorSeconds) {
        return new Measured(name, seconds * 1e6, MICROS, floorSeconds * 1e6, NONE, "");
    }

    /** Returns a case that was not measured, and the reason. */
    public static Measured skipped(String name, String reason) {
        return new Measured(name, NONE, "", NONE, NONE, "not measured: " + reason);
    }

    /** Returns a copy with a remark. */
    public Measured noted(String remark) {
        return new Measured(name, value, unit, floor, wanted, remark);
    }

    /**
     * Returns the value as a multiple of the floor; of times, the floor as a multiple of the value. NaN without one.
     */
    public double ratio() {
        return unit.equals(MICROS) ? floor / value : value / floor;
    }

    /** True unless a ratio is wanted and is not reached. */
    public boolean ok() {
        return Double.isNaN(wanted) || ratio() >= wanted;
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("value", value);
        json.put("unit", unit);
        json.put("floor", floor);
        json.put("ratio", ratio());
        json.put("wanted", wanted);
        json.put("ok", ok());
        json.put("note", note);
        return json;
    }

    /** Returns the columns of {@link #text}. */
    static String header() {
        return String.format(
                "%-58s %10s %-15s %10s %6s %6s %-5s", "name", "value", "unit", "floor", "ratio", "wanted", "ok");
    }

    String text() {
        return String.format(
                        Locale.ROOT,
                        "%-58s %10s %-15s %10s %6s %6s %-5s %s",
                        name,
                        number("%.2f", value),
                        unit,
                        number("%.2f", floor),
                        number("%.2f", ratio()),
                        number("%.2f", wanted),
                        Double.isNaN(wanted) ? "" : ok() ? "ok" : "less",
                        note)
                .stripTrailing();
    }

    private static String number(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }
}
