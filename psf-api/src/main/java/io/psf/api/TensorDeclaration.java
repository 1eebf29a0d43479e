package io.psf.api;

import java.util.Collections;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * All that workers must agree on when they declare a tensor, and that a server needs in order to make its shards. The
 * cluster keeps it as long as the tensor is declared.
 *
 * @param info name, rows, width and number formats
 * @param slices the number of slices; 0 for one per server; -1 for pieces that fit in a core's cache, at least one per
 *     server
 * @param beside the name of the tensor whose slices, servers and lanes this one shares; empty for its own
 * @param placement the memory of the shards: a name that the servers have for it, or alternatives separated by commas
 * @param initializer what makes the first values
 * @param optimizer the rule by which a push changes a shard
 * @param rounds how the pushes of the workers combine
 * @param policy which keys of a growing table get a row, and which rows are removed, by name
 * @param memoryOf the function whose memory it is; empty for a tensor of the model
 */
public record TensorDeclaration(
        TensorInfo info,
        int slices,
        String beside,
        String placement,
        Rule initializer,
        Rule optimizer,
        Rounds rounds,
        Map<String, String> policy,
        String memoryOf) {
    public TensorDeclaration {
        policy = sorted(policy);
    }

    /**
     * A class that the servers find on their class path, with the arguments for it.
     *
     * @param name its name, such as {@code psf.sgd}
     * @param arguments the arguments of its constructor by name
     * @param options what it does besides, by name
     */
    public record Rule(String name, Map<String, String> arguments, Map<String, String> options) {
        /** No rule, for memory that no push reaches. */
        public static final Rule NONE = new Rule("", Map.of(), Map.of());

        public Rule {
            arguments = sorted(arguments);
            options = sorted(options);
        }

        /** Returns the name with the arguments, such as {@code psf.sgd(lr=0.1)}. */
        @Override
        public String toString() {
            StringJoiner text = new StringJoiner(", ", name + "(", ")");
            arguments.forEach((argument, value) -> text.add(argument + "=" + value));
            options.forEach((option, value) -> text.add(option + "=" + value));
            return text.toString();
        }
    }

    /**
     * How the pushes of the workers combine.
     *
     * @param synchronous true if a round of one push of each worker is applied together
     * @param mean true if a round applies the mean of its pushes, false if it applies their sum
     * @param quorum the number of pushes at which a round closes; 0 for one of each worker
     * @param dropsLate true if a push for an earlier round is dropped, false if it is added to the open round
     */
    public record Rounds(boolean synchronous, boolean mean, int quorum, boolean dropsLate) {
        /** Each push is applied on arrival. */
        public static final Rounds NONE = new Rounds(false, false, 0, false);

        /** Returns {@code EACH}, {@code SUM} or {@code MEAN}. */
        public String updates() {
            return !synchronous ? "EACH" : mean ? "MEAN" : "SUM";
        }

        @Override
        public String toString() {
            return updates() + quorumText();
        }

        private String quorumText() {
            return quorum == 0 ? "" : " quorum=" + quorum + " (late: " + (dropsLate ? "DROP" : "NEXT") + ")";
        }
    }

    private static Map<String, String> sorted(Map<String, String> map) {
        return Collections.unmodifiableMap(new TreeMap<>(map));
    }

    /** Returns the declaration of the memory of a function: it has no values of its own, and no push reaches it. */
    public static TensorDeclaration memory(TensorInfo info, int slices, String beside, String function) {
        return new TensorDeclaration(
                info, slices, beside, Node.HOST, Rule.NONE, Rule.NONE, Rounds.NONE, Map.of(), function);
    }

    /**
     * Returns the declaration without the name, on one line. Two declarations of one name are the same if and only if
     * their texts are equal.
     */
    public String text() {
        return text(slices);
    }

    /** As {@link #text()}, with the number of slices that the tensor has. */
    public String text(int slices) {
        String shape = info.shape() + " slices=" + slices + (beside.isEmpty() ? "" : " beside=" + beside);
        if (!memoryOf.isEmpty()) {
            return shape + ", memory of " + memoryOf;
        }
        return shape + " initializer=" + initializer + " optimizer=" + optimizer + " updates=" + rounds.updates()
                + (placement.equals(Node.HOST) ? "" : " placement=" + placement)
                + rounds.quorumText()
                + (policy.isEmpty() ? "" : " policy=" + policy)
                + info.types().text();
    }
}
