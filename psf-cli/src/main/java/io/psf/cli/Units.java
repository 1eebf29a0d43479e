package io.psf.cli;

import java.time.Duration;
import java.util.Locale;

/** Numbers with units that a person reads, in at most 8 characters. */
final class Units {
    private Units() {}

    /** Returns a number of bytes: {@code 512 B}, {@code 62.5 KiB}, {@code 1.2 GiB}. */
    static String bytes(long bytes) {
        if (bytes < 1000) {
            return bytes + " B";
        }
        return scaled(bytes, 1024, "KMGTPE", "iB");
    }

    /** Returns a number: {@code 48,211} up to a million, then {@code 4.8 M}. */
    static String count(long count) {
        return count < 1_000_000 ? String.format(Locale.ROOT, "%,d", count) : scaled(count, 1000, "kMGTPE", "");
    }

    /** Returns a number for each second: {@code 0.5}, {@code 1,820}. */
    static String rate(double rate) {
        return rate < 99.95 ? String.format(Locale.ROOT, "%.1f", rate) : count(Math.round(rate));
    }

    /** Returns a share of a whole: {@code 68 %}. */
    static String share(double share) {
        return Math.round(share * 100) + " %";
    }

    /** Returns a time: {@code 88.1 us}, {@code 2.3 ms}, {@code 1.5 s}. */
    static String nanos(long nanos) {
        double micros = nanos / 1e3;
        if (micros < 999.5) {
            return digits(micros) + " us";
        }
        return micros < 999_500 ? digits(micros / 1e3) + " ms" : digits(micros / 1e6) + " s";
    }

    /** Returns a time that has passed: {@code 12 s}, {@code 3 min}, {@code 5 h 7 min}, {@code 2 d 4 h}. */
    static String age(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return seconds / 60 + " min";
        }
        return seconds < 86_400
                ? seconds / 3600 + " h " + seconds / 60 % 60 + " min"
                : seconds / 86_400 + " d " + seconds / 3600 % 24 + " h";
    }

    private static String scaled(long value, int base, String units, String end) {
        double left = (double) value / base;
        int unit = 0;
        while (left >= 999.5 && unit < units.length() - 1) {
            left /= base;
            unit++;
        }
        return digits(left) + " " + units.charAt(unit) + end;
    }

    private static String digits(double value) {
        return String.format(Locale.ROOT, value < 99.95 ? "%.1f" : "%.0f", value);
    }
}
