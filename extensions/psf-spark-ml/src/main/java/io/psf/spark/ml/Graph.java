package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serial;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;

/**
 * The neighbours of each node of a graph, 4 bytes for each edge. Immutable.
 *
 * @param nodes their names, and the number of edges from each
 * @param begins [nodes + 1], the begin of each node's neighbours, and the end of the last
 * @param neighbours [edges] int32, ascending within a node
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
@DefaultSerializer(JavaSerializer.class)
record Graph(Vocabulary nodes, int[] begins, int[] neighbours) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    /** How often a neighbour is drawn before the chances of all are computed. */
    private static final int TRIES = 32;

    /**
     * Makes a graph.
     *
     * @param edges pairs of nodes, each the number of the first node, and of the second
     */
    static Graph of(Vocabulary nodes, Iterator<int[]> edges) {
        int[] begins = new int[nodes.size() + 1];
        for (int node = 0; node < nodes.size(); node++) {
            begins[node + 1] = Math.toIntExact(begins[node] + nodes.count(node));
        }
        int[] neighbours = new int[begins[nodes.size()]];
        int[] ends = begins.clone();
        edges.forEachRemaining(pairs -> {
            for (int i = 0; i < pairs.length; i += 2) {
                neighbours[ends[pairs[i]]++] = pairs[i + 1];
            }
        });
        for (int node = 0; node < nodes.size(); node++) {
            Arrays.sort(neighbours, begins[node], begins[node + 1]);
        }
        return new Graph(nodes, begins, neighbours);
    }

    /**
     * Walks at random (Grover and Leskovec, KDD 2016). A neighbour is drawn, and kept with a chance in proportion to its
     * weight (rejection sampling).
     *
     * @param inverseP the weight of going back to the node before
     * @param inverseQ the weight of a node that is no neighbour of the node before
     * @return the names of at most {@code length} nodes, and fewer if a node without neighbours is reached
     */
    String[] walk(int start, int length, double inverseP, double inverseQ, Draws draws) {
        String[] names = new String[length];
        names[0] = nodes.word(start);
        int before = -1;
        int node = start;
        int n = 1;
        for (; n < length && begins[node] < begins[node + 1]; n++) {
            int next = next(before, node, inverseP, inverseQ, draws);
            before = node;
            node = next;
            names[n] = nodes.word(node);
        }
        return Arrays.copyOf(names, n);
    }

    private int next(int before, int node, double inverseP, double inverseQ, Draws draws) {
        int begin = begins[node];
        int degree = begins[node + 1] - begin;
        double most = Math.max(1, Math.max(inverseP, inverseQ));
        for (int i = 0; i < TRIES; i++) {
            int drawn = neighbours[begin + draws.below(degree)];
            if (before < 0 || draws.uniform() * most < weight(before, drawn, inverseP, inverseQ)) {
                return drawn;
            }
        }
        double[] sums = new double[degree];
        double sum = 0;
        for (int i = 0; i < degree; i++) {
            sum += weight(before, neighbours[begin + i], inverseP, inverseQ);
            sums[i] = sum;
        }
        int at = Arrays.binarySearch(sums, draws.uniform() * sum);
        return neighbours[begin + (at < 0 ? -at - 1 : at)];
    }

    private double weight(int before, int node, double inverseP, double inverseQ) {
        if (node == before) {
            return inverseP;
        }
        return Arrays.binarySearch(neighbours, begins[before], begins[before + 1], node) >= 0 ? 1 : inverseQ;
    }
}
