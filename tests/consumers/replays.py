SOURCES={}
def lines(): return []
