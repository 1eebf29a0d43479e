package io.psf.runtime;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names of all settings, and the nearest known name for an unknown one. */
final class SettingsNames {
    /** The environment variable that names the YAML file. */
    static final String CONFIG = "PSF_CONFIG";

    static final String PORT = "MS_SCHED_PORT";

    /** A misspelling of {@link #PORT} that is in use, in scripts and in MindSpore's own documents. */
    static final String POST = "MS_SCHED_POST";

    private static final String PREFIX = "PSF_";

    /** Names that begin with psf's prefix and are read from the environment alone, before there are settings. */
    private static final List<String> READ_ELSEWHERE = List.of(CONFIG, "PSF_PARENT", "PSF_JAVA_OPTS", "PSF_VECTORS");

    private SettingsNames() {}

    static Set<String> known() {
        Set<String> names = new LinkedHashSet<>();
        SettingsKey.ALL.forEach(key -> names.addAll(key.names()));
        names.add(POST);
        names.addAll(READ_ELSEWHERE);
        return names;
    }

    /**
     * Rejects a name that is no setting. An environment contains unrelated names too, some of which have psf's prefix
     * (a container platform writes PSF_SCHEDULER_SERVICE_HOST for a service of that name). In an environment, only a
     * name that is close to a psf name is rejected. Variables of the other families that psf does not use are accepted.
     */
    static void check(String name, String place, boolean allKnown) {
        Set<String> known = known();
        boolean ours = name.startsWith(PREFIX);
        if (known.contains(name) || (!ours && !allKnown)) {
            return;
        }
        if (!ours && (name.startsWith("DMLC_") || name.startsWith("MS_"))) {
            return;
        }
        String meant = nearest(name, known);
        if (allKnown || meant != null) {
            throw SettingsErrors.invalid("%s: not a setting, in %s (expected: %s)"
                    .formatted(name, place, meant == null ? "the name of a setting" : "a setting, such as " + meant));
        }
    }

    private static @Nullable String nearest(String name, Set<String> known) {
        String upper = name.toUpperCase(Locale.ROOT).replace('-', '_').replace('.', '_');
        String full = upper.startsWith(PREFIX) ? upper : PREFIX + upper;
        int best = Math.max(1, (full.length() - PREFIX.length()) / 3);
        String nearest = null;
        for (String candidate : known) {
            int distance = distance(full, candidate);
            if (candidate.startsWith(PREFIX) && distance <= best) {
                best = distance - 1;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** Returns the Levenshtein distance: the minimum number of insertions, deletions and substitutions. */
    private static int distance(String a, String b) {
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[b.length()];
    }
}
