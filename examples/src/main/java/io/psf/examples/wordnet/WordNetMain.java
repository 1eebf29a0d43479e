package io.psf.examples.wordnet;

import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.examples.OnCluster;
import io.psf.examples.functions.LoadNeighborsPsf;
import io.psf.examples.functions.SampleNeighbor;
import io.psf.examples.functions.SampleNeighborPsf;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads WordNet's graph to the servers and samples neighbours of words. Runs with {@code java} or {@code psf launch}.
 */
public final class WordNetMain {
    private static final int DRAWN = 5;

    private WordNetMain() {}

    /**
     * Runs standalone, or as a worker of the cluster that the environment names.
     *
     * @param words the words whose neighbours are sampled; dog, parameter and city if empty
     */
    public static void main(String[] words) {
        List<String> asked = words.length == 0 ? List.of("dog", "parameter", "city") : List.of(words);
        OnCluster.run(worker -> neighbors(worker, asked).forEach(System.out::println));
    }

    /** Returns a line for each word that is in the graph. */
    static List<String> neighbors(Worker worker, List<String> words) {
        WordNet graph = WordNet.load();
        TensorId nodes = Tensors.init(worker, TensorSpec.dense("wordnet", graph.nodes()));
        if (worker.rank() == 0) {
            LoadNeighborsPsf.stub(worker)
                    .call(nodes, LongArray.wrap(graph.sources()), LongArray.wrap(graph.targets()))
                    .await();
        }
        worker.barrier();
        long[] keys =
                words.stream().mapToLong(graph::node).filter(node -> node >= 0).toArray();
        SampleNeighbor.Response drawn = SampleNeighborPsf.stub(worker)
                .call(nodes, LongArray.wrap(keys), DRAWN, worker.rank())
                .await();
        List<String> lines = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < keys.length; i++) {
            int end = at + drawn.counts().get(i);
            List<String> names = new ArrayList<>();
            for (; at < end; at++) {
                names.add(graph.words().get((int) drawn.neighbors().get(at)));
            }
            lines.add(graph.words().get((int) keys[i]) + ": " + String.join(", ", names));
        }
        return lines;
    }
}
