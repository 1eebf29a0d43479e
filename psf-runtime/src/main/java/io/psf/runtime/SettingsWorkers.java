package io.psf.runtime;

/**
 * The number of workers in a setting, for example {@code 2}, or {@code 2+} if more may join.
 *
 * @param count the number of workers with which a job begins
 * @param more true if more may join
 */
record SettingsWorkers(int count, boolean more) {
    @Override
    public String toString() {
        return count + (more ? "+" : "");
    }
}
