"""Tree search for any tree of documents: a wiki of a code base, a curriculum, a catalogue.

    result = await tree_search(TreeSearchConfig(
        root_dir=Path("wiki"), root_prompt="List the parts of this code base.",
        document_prompt=lambda node: f"Document {node.title}.", children_prompt=lambda node: f"Parts of {node.title}?",
    ))

The same engine, journal and picker as a researcher's, with two asks per node and no review.
"""

from .config import TreeNode, TreeSearchConfig, TreeSearchResult
from .search import tree_search

__all__ = ["TreeNode", "TreeSearchConfig", "TreeSearchResult", "tree_search"]
