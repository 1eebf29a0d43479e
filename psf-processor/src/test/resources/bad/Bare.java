package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.bare")
public interface Bare {} // ERROR [PsfRequest] ERROR [PsfResponse] ERROR [PsfHandleMissing]
