package io.psf.builtin.optimizer;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The work of an optimizer besides its formula. A gradient is first clipped by value, then by the norm, then the weight
 * decay is added.
 *
 * @param clipValue each element of the gradient is limited to [-clipValue, clipValue]; 0 for no limit
 * @param clipNorm the whole tensor's gradient is scaled so that its Euclidean norm is at most this; 0 for no limit
 * @param weightDecay g += weightDecay w before the formula (L2 regularization); 0 for none
 * @param schedule how the learning rate changes
 * @param skipNonFinite true if a push with an element that is not finite is left out
 * @param globalNorm the tensors over which the norm is; null for the norm of the tensor alone
 */
public record Options(
        float clipValue,
        float clipNorm,
        float weightDecay,
        Schedule schedule,
        boolean skipNonFinite,
        @Nullable GlobalNorm globalNorm) {
    /** Neither clips nor decays, at a constant rate. */
    public static final Options NONE = new Options(0, 0, 0, Schedule.constant(), false, null);

    private static final String CLIP_VALUE = "clipValue";
    private static final String CLIP_NORM = "clipNorm";
    private static final String WEIGHT_DECAY = "weightDecay";
    /** The name of {@link #skipNonFinite}. */
    public static final String SKIP = "skipNonFinite";

    /** The name of {@link #globalNorm}. */
    public static final String GLOBAL_NORM = "clipNorm.tensor";

    private static final String SCHEDULE = "schedule";
    private static final String STEPS = "schedule.steps";
    private static final String FACTOR = "schedule.factor";
    private static final String WARM_UP = "schedule.warmUp";

    /** Checks the options. Throws {@link IllegalArgumentException} if one is out of range. */
    public Options {
        requireLimit(CLIP_VALUE, clipValue);
        requireLimit(CLIP_NORM, clipNorm);
        requireLimit(WEIGHT_DECAY, weightDecay);
        OptimizerChecks.require(globalNorm == null || clipNorm > 0, CLIP_NORM, clipNorm, "> 0, for a global norm");
    }

    private static void requireLimit(String name, float value) {
        OptimizerChecks.require(value >= 0 && Float.isFinite(value), name, value, ">= 0");
    }

    /**
     * Parses options.
     *
     * @throws IllegalArgumentException if a name is unknown or a value is none of its type
     */
    public static Options of(Map<String, String> texts) {
        Options options = NONE;
        GlobalNorm globalNorm = null;
        Map<String, String> schedule = new TreeMap<>();
        for (Map.Entry<String, String> each : texts.entrySet()) {
            String name = each.getKey();
            switch (name) {
                case CLIP_VALUE -> options = options.withClipValue((float) number(name, each.getValue()));
                case CLIP_NORM -> options = options.withClipNorm((float) number(name, each.getValue()));
                case WEIGHT_DECAY -> options = options.withWeightDecay((float) number(name, each.getValue()));
                case SKIP -> options = options.withSkipNonFinite(truth(name, each.getValue()));
                case GLOBAL_NORM -> globalNorm = GlobalNorm.of(each.getValue());
                case SCHEDULE, STEPS, FACTOR, WARM_UP -> schedule.put(name, each.getValue());
                default ->
                    throw new IllegalArgumentException("option of an optimizer: \"" + name + "\" (expected: "
                            + String.join(
                                    ", ",
                                    CLIP_VALUE,
                                    CLIP_NORM,
                                    GLOBAL_NORM,
                                    WEIGHT_DECAY,
                                    SKIP,
                                    SCHEDULE,
                                    STEPS,
                                    FACTOR,
                                    WARM_UP)
                            + ")");
            }
        }
        options = schedule.isEmpty() ? options : options.withSchedule(schedule(schedule));
        return globalNorm == null ? options : options.withGlobalNorm(options.clipNorm, globalNorm);
    }

    private static Schedule schedule(Map<String, String> texts) {
        String kind = texts.getOrDefault(SCHEDULE, "constant");
        for (Schedule.Kind each : Schedule.Kind.values()) {
            if (each.text().equals(kind)) {
                return new Schedule(
                        each,
                        steps(STEPS, texts.getOrDefault(STEPS, "0")),
                        number(FACTOR, texts.getOrDefault(FACTOR, "1")),
                        steps(WARM_UP, texts.getOrDefault(WARM_UP, "0")));
            }
        }
        throw new IllegalArgumentException(
                SCHEDULE + ": \"" + kind + "\" (expected: constant, step, linear or cosine)");
    }

    private static boolean truth(String name, String text) {
        OptimizerChecks.require(text.equals("true") || text.equals("false"), name, text, "true or false");
        return text.equals("true");
    }

    private static long steps(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + ": \"" + text + "\" (expected: a whole number of steps)", e);
        }
    }

    private static double number(String name, String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + ": \"" + text + "\" (expected: a number)", e);
        }
    }

    /** Returns the options that differ from {@link #NONE}, by name. */
    public Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        put(texts, CLIP_VALUE, clipValue);
        put(texts, CLIP_NORM, clipNorm);
        put(texts, WEIGHT_DECAY, weightDecay);
        if (skipNonFinite) {
            texts.put(SKIP, "true");
        }
        if (globalNorm != null) {
            texts.put(GLOBAL_NORM, globalNorm.toString());
        }
        if (!schedule.isConstant()) {
            texts.put(SCHEDULE, schedule.kind().text());
            texts.put(STEPS, String.valueOf(schedule.steps()));
            texts.put(FACTOR, String.valueOf(schedule.factor()));
            texts.put(WARM_UP, String.valueOf(schedule.warmUp()));
        }
        return texts;
    }

    private static void put(Map<String, String> texts, String name, float value) {
        if (value != 0) {
            texts.put(name, String.valueOf(value));
        }
    }

    /** Returns a copy with another limit of each element. */
    public Options withClipValue(float limit) {
        return new Options(limit, clipNorm, weightDecay, schedule, skipNonFinite, globalNorm);
    }

    /** Returns a copy with another limit of the norm. */
    public Options withClipNorm(float limit) {
        return new Options(clipValue, limit, weightDecay, schedule, skipNonFinite, globalNorm);
    }

    /** Returns a copy with another weight decay. */
    public Options withWeightDecay(float decay) {
        return new Options(clipValue, clipNorm, decay, schedule, skipNonFinite, globalNorm);
    }

    /** Returns a copy with another schedule. */
    public Options withSchedule(Schedule schedule) {
        return new Options(clipValue, clipNorm, weightDecay, schedule, skipNonFinite, globalNorm);
    }

    /** Returns a copy that leaves out pushes with an element that is not finite, or that does not. */
    public Options withSkipNonFinite(boolean skips) {
        return new Options(clipValue, clipNorm, weightDecay, schedule, skips, globalNorm);
    }

    /** Returns a copy that limits the norm over several tensors. */
    public Options withGlobalNorm(float limit, GlobalNorm tensors) {
        return new Options(clipValue, limit, weightDecay, schedule, skipNonFinite, tensors);
    }

    /** True if gradients reach the formula unchanged. */
    boolean keepGradients() {
        return clipValue == 0 && clipNorm == 0 && weightDecay == 0;
    }
}
