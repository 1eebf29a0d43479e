package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** It was bad.gone, whose schema is committed in src/test/resources/schemas/Gone. */
@PsFunction("bad.gone.renamed")
public interface Gone { // ERROR [PsfSchemaGone]
  record Request(TensorId tensor) {}

  record Response() {}

  Response handle(Request slice, Shard shard);
}
