package io.psf.builtin.checkpoint;

import io.psf.testkit.PsfTest;

/** The functions that save and load a tensor, for tests on shards of the test kit. */
public final class SavingFunctions {
    private SavingFunctions() {}

    /** Adds the functions to those of a test. */
    public static PsfTest<?, ?> with(PsfTest<?, ?> test) {
        return test.and(ListModelsPsf.bind(new ListModels() {}))
                .and(DiscardModelPsf.bind(new DiscardModel() {}))
                .and(SaveModelPsf.bind(new SaveModel() {}))
                .and(CommitModelPsf.bind(new CommitModel() {}))
                .and(LoadModelPsf.bind(new LoadModel() {}));
    }
}
