package io.psf.examples.movielens;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The error of the model at a time.
 *
 * @param mode bsp, ssp or asp
 * @param epoch the number of the epochs so far of the worker that measures
 * @param seconds the time since the training began
 * @param rmse the root of the mean squared error of the held-out ratings
 */
record Measurement(String mode, double epoch, double seconds, double rmse) {
    private static final Pattern TEXT = Pattern.compile("(\\w+): epoch ([\\d.]+), ([\\d.]+) s, RMSE ([\\d.]+)");

    /** Parses a line of a worker. Returns empty if it is another line. */
    static Optional<Measurement> parse(String line) {
        Matcher matcher = TEXT.matcher(line);
        return matcher.matches()
                ? Optional.of(new Measurement(
                        matcher.group(1),
                        Double.parseDouble(matcher.group(2)),
                        Double.parseDouble(matcher.group(3)),
                        Double.parseDouble(matcher.group(4))))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s: epoch %.2f, %.2f s, RMSE %.4f", mode, epoch, seconds, rmse);
    }
}
