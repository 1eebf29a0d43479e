package io.psf.benchmarks;

import io.psf.api.PsException;
import io.psf.benchmarks.DenseCalls.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The cases that a peer measures, too. Their goals bound the ratio of psf to the peer, which is > 1 if psf is better.
 */
final class PeerCases {
    private static final int[] SIZES = {4 << 10, 64 << 10, 1 << 20, 16 << 20};

    private PeerCases() {}

    static List<Line> all() {
        List<Line> cases = new ArrayList<>();
        for (int bytes : SIZES) {
            for (Kind kind : new Kind[] {Kind.PUSH, Kind.PULL}) {
                cases.add(new Line(DenseCases.p50(kind.label, bytes), "us", Goal.ratioAtLeast(1)));
            }
        }
        for (String call : new String[] {"pull", "push"}) {
            for (int width : new int[] {16, 64}) {
                for (int outstanding : new int[] {1, 4}) {
                    cases.add(new Line(
                            SparseCases.name(call, width, Keys.UNIFORM, outstanding),
                            SparseCases.UNIT,
                            Goal.ratioAtLeast(bound(call, width, outstanding))));
                }
            }
        }
        return cases;
    }

    private static double bound(String call, int width, int outstanding) {
        if (width == 64) {
            return 1.3;
        }
        return call.equals("pull") ? (outstanding == 1 ? 2 : 1.6) : (outstanding == 1 ? 1.5 : 1.3);
    }

    /**
     * Returns the cases whose name a pattern matches.
     *
     * @throws PsException with {@code CONFIGURATION} if it matches none
     */
    static List<Line> matching(Pattern only) {
        List<Line> cases =
                all().stream().filter(line -> only.matcher(line.name()).find()).toList();
        if (cases.isEmpty()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--only: %s fits no case that a peer measures (expected: a part of one of these names: %s)"
                            .formatted(only, all().stream().map(Line::name).collect(Collectors.joining("; "))));
        }
        return cases;
    }

    /** Returns the pattern that matches exactly the names of some cases. */
    static Pattern pattern(List<Line> cases) {
        return WorkerTask.only(
                cases.stream().map(line -> Pattern.quote(line.name())).collect(Collectors.joining("|", "^(", ")$")));
    }
}
