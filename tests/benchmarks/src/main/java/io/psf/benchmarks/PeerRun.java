package io.psf.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measures psf and a peer in alternation and pairs their results. */
final class PeerRun {
    private static final String PLACEMENT =
            "free (the system places its processes, since its threads need all processors)";

    private final Peer peer;
    private final List<Line> cases;
    private final int alternations;
    private final BenchRun psf;
    private List<PeerResult> results = List.of();

    /**
     * Creates a run.
     *
     * @param cases the measured cases, with their goals relative to the peer
     * @param plan the duration of psf's measurements in each alternation
     */
    PeerRun(Peer peer, List<Line> cases, int alternations, Plan plan, @Nullable Recordings recordings) {
        this.peer = peer;
        this.cases = cases;
        this.alternations = alternations;
        this.psf = new BenchRun(null, plan, false, PeerCases.pattern(cases), recordings);
    }

    /**
     * Measures both sides. Prints the table after each alternation, so that a later failure leaves the figures before
     * it. Returns false if psf has not measured all cases.
     */
    boolean measure() throws IOException {
        Map<String, List<Result>> ours = new HashMap<>();
        List<PeerFigures> theirs = new ArrayList<>();
        for (int i = 1; i <= alternations; i++) {
            System.out.printf("-- psf, %d of %d%n", i, alternations);
            if (!psf.measure()) {
                return false;
            }
            psf.results()
                    .forEach(result -> ours.computeIfAbsent(result.line().name(), name -> new ArrayList<>())
                            .add(result));
            System.out.printf("-- peer %s, %d of %d, %s%n", peer.program(), i, alternations, PLACEMENT);
            theirs.add(peer.measure(cases));
            results = cases.stream()
                    .map(line -> PeerResult.of(line, ours.getOrDefault(line.name(), List.of()), theirs))
                    .toList();
            System.out.printf(
                    "-- psf beside the peer, medians after %d of %d; psf/peer > 1: psf is better%n", i, alternations);
            System.out.printf(
                    "-- psf %s; peer %s%n", Part.ONE_WORKER.placement().description(), PLACEMENT);
            System.out.println(PeerReport.table(results));
        }
        System.out.println(
                Report.summary(results.stream().map(PeerResult::beside).toList()));
        return true;
    }

    /** Writes the figures, and a plot of psf's next to them. */
    void write(Path json) throws IOException {
        BenchRun.write(
                json,
                PeerReport.json(results),
                results.stream().map(PeerResult::psf).toList());
    }
}
