package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides {@link Kinds.OfAnyShard} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class Kinds_OfAnyShardPsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return PullPsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.Kinds$OfAnyShard";
    }

    @Override
    public Binding<?, ?> binding() {
        Kinds.OfAnyShard handler = new Kinds.OfAnyShard();
        return Binding.shard(PullPsf.FUNCTION, handler, handler::handle);
    }
}
