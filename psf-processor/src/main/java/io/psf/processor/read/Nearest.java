package io.psf.processor.read;

import java.util.Collection;
import java.util.Locale;

/** Finds the candidate that is nearest to a misspelt name. */
final class Nearest {
    private Nearest() {}

    /** Returns a sentence with a leading space that suggests the nearest candidate; empty if no candidate is near. */
    static String didYouMean(String given, Collection<String> candidates) {
        String nearest = "";
        int least = Math.max(1, given.length() / 3) + 1;
        for (String candidate : candidates) {
            int distance = distance(given.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest.isEmpty() ? "" : " Did you mean \"" + nearest + "\"?";
    }

    /** Returns the Levenshtein distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
